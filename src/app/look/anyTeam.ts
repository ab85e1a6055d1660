import { variable } from '../../config/env.js';
import { type TeamPaths, teamPathsAt } from '../../config/paths.js';
import { listArchive, listTeams } from '../../team/archive.js';
import { UserError } from '../../util/errors.js';
import { type FoundTeam, findTeam, namesakesOf } from '../resume/findTeam.js';
import type { World } from '../services.js';
import { chooseTeam } from './teams.js';

/** The team that somebody looks back at: as `chooseTeam`, and by its name from the archive too. @throws UserError */
export async function chooseAnyTeam(world: Pick<World, 'home'>, given: string | undefined): Promise<FoundTeam> {
  const name = given ?? variable('TROUPE_TEAM');
  if (name !== undefined) return findTeam(world, name);
  const [last] = (await listTeams(world.home)).teams.length > 0 ? [] : await listArchive(world.home);
  if (last) throw new UserError(`No team is running. The last one in the archive: -t ${last.team.name}`);
  return { team: await chooseTeam(world) };
}

/** Says which one `chooseAnyTeam` takes where several in the archive have that name; else nothing. */
export async function archiveWords(
  world: Pick<World, 'home'>,
  given = variable('TROUPE_TEAM'),
): Promise<string | undefined> {
  return given === undefined ? undefined : namesakesOf(world, await findTeam(world, given), given);
}

/** Where its files lie. */
export function pathsOfAny({ home }: Pick<World, 'home'>, { team, archived }: FoundTeam): TeamPaths {
  return archived ? teamPathsAt(archived.path) : home.team(team.name);
}
