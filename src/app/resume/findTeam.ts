import { basename } from 'node:path';
import type { Home } from '../../config/paths.js';
import { type ArchivedTeam, listArchive, listTeams } from '../../team/archive.js';
import { openTeamFile, type TeamFile } from '../../team/teamFile.js';
import { UserError } from '../../util/errors.js';
import { isSameName, nameProblem } from '../../util/names.js';
import { didYouMean } from '../../util/text.js';
import { stateOf } from '../look/teams.js';
import type { World } from '../services.js';

/** A team to come back to. */
export interface FoundTeam {
  readonly team: TeamFile;
  /** Where it lies, when it was archived. */
  readonly archived?: ArchivedTeam;
}

/**
 * The team of that name, else the newest archived one, or one by the full name that it has in the archive; without a
 * name the only one that has no lead. @throws UserError
 */
export async function findTeam(world: Pick<World, 'home'>, name: string | undefined): Promise<FoundTeam> {
  const { home } = world;
  if (name === undefined) return onlyStopped(world);
  const team = nameProblem(name) === undefined ? await openTeamFile(home.team(name).config).read() : undefined;
  if (team) return { team };
  const archive = await listArchive(home);
  const archived =
    archive.find((one) => isSameName(one.team.name, name)) ?? archive.find((one) => archiveName(one) === name);
  if (archived) return { team: archived.team, archived };
  const names = [
    ...new Set([...(await listTeams(home)).teams, ...archive.map((one) => one.team)].map((one) => one.name)),
  ];
  throw new UserError(
    `No team ${JSON.stringify(name)}, also not in the archive.${didYouMean(name, [...names, ...archive.map(archiveName)])} Teams: ${names.join(', ') || 'none'}`,
  );
}

/** The full name of an archived team: its own, and when it was put there. */
export function archiveName({ path }: ArchivedTeam): string {
  return basename(path);
}

/** Those of the same name, where the newest of several was taken; a line for a person. */
export async function namesakesOf(
  { home }: Pick<World, 'home'>,
  { archived }: FoundTeam,
  given: string | undefined,
): Promise<string | undefined> {
  if (!archived || given === undefined || !isSameName(archived.team.name, given)) return undefined;
  const older = (await listArchive(home)).filter(
    ({ path, team }) => path !== archived.path && isSameName(team.name, given),
  );
  if (older.length === 0) return undefined;
  const names = older.slice(0, MOST_LISTED).map(archiveName).join(', ');
  const more = older.length > MOST_LISTED ? ` and ${older.length - MOST_LISTED} more` : '';
  return `The newest "${archived.team.name}" of the archive, ${archiveName(archived)}. Others, by their full name: ${names}${more}`;
}

async function onlyStopped(world: Pick<World, 'home'>): Promise<FoundTeam> {
  const { teams } = await listTeams(world.home);
  const stopped: TeamFile[] = [];
  for (const team of teams) {
    const state = await stateOf(world, team);
    if (state === 'stopped' || state === 'crashed') stopped.push(team);
  }
  const [only] = stopped;
  if (stopped.length > 1)
    throw new UserError(`Which team? Say its name: ${stopped.map(({ name }) => name).join(', ')}`);
  if (only) return { team: only };
  const archived = (await listArchive(world.home)).map(({ team }) => team.name);
  const last =
    archived[0] === undefined
      ? ' Start one with: troupe up'
      : ` The last one in the archive: troupe resume ${archived[0]}`;
  throw new UserError(`No team was stopped or has crashed.${last}`);
}

/** The team whose lead has this session: the `session_id` of a result. @throws UserError that lists the known ones. */
export async function findBySession({ home }: { readonly home: Home }, sessionId: string): Promise<FoundTeam> {
  const all: FoundTeam[] = [
    ...(await listTeams(home)).teams.map((team) => ({ team })),
    ...(await listArchive(home)).map((archived) => ({ team: archived.team, archived })),
  ];
  const wanted = sessionId.trim().toLowerCase();
  const found = all.find(({ team }) => team.leadSessionId === wanted);
  if (found) return found;
  const known = all.flatMap(({ team }) => (team.leadSessionId === undefined ? [] : [team.leadSessionId]));
  const list = all
    .slice(0, MOST_LISTED)
    .flatMap(({ team }) => (team.leadSessionId === undefined ? [] : [`${team.leadSessionId} (${team.name})`]));
  throw new UserError(
    `No run has the session ${JSON.stringify(sessionId)}.${didYouMean(wanted, known)} Sessions: ${list.join(', ') || 'none'}`,
  );
}

const MOST_LISTED = 10;
