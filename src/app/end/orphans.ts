import { endMarkedWithAny, type Mark } from '../../host/children.js';
import { isAlive } from '../../host/processes.js';
import { listTeams } from '../../team/archive.js';
import { livingRecord } from '../../team/shutdown.js';
import type { TeamFile } from '../../team/teamFile.js';
import { placeOf, type World } from '../services.js';

/** How children of a team's dead members are found. A team in the archive has no living ones. */
export async function marksOfDead(world: World, team: TeamFile, isArchived: boolean): Promise<Mark[]> {
  const marks: Mark[] = [];
  for (const { name, agentId, reservedBy } of team.members) {
    if (reservedBy && (await isAlive(reservedBy))) continue;
    if (!isArchived && (await livingRecord(placeOf(world, team.name), name))) continue;
    marks.push({ member: agentId, home: world.home.root });
  }
  return marks;
}

/** Ends what members that were killed have left running. Their teams stay as they are: they can be gone on with. */
export async function endOrphans(world: World): Promise<void> {
  const { teams } = await listTeams(world.home);
  const marks: Mark[] = [];
  for (const team of teams) marks.push(...(await marksOfDead(world, team, false)));
  await endMarkedWithAny(marks, world.clock);
}
