import { isAlive } from '../../host/processes.js';
import { listTeams } from '../../team/archive.js';
import { livingRecord } from '../../team/shutdown.js';
import type { TeamFile } from '../../team/teamFile.js';
import { placeOf, type World } from '../services.js';
import { recordedBackend } from '../start/backends.js';

/** Teams that nobody of lives any more, while a tmux server of ours still shows their empty panes. */
export async function teamsWithDeadServers(world: World): Promise<TeamFile[]> {
  const { teams } = await listTeams(world.home);
  const dead: TeamFile[] = [];
  for (const team of teams) if (await isServerDead(world, team)) dead.push(team);
  return dead;
}

/** Ends those servers. The teams stay as they are: they can be gone on with. */
export async function closeDeadServers(world: World): Promise<void> {
  for (const team of await teamsWithDeadServers(world)) await recordedBackend(world, team)?.closeServer();
}

async function isServerDead(world: World, { name, tmux, leadProcess, members }: TeamFile): Promise<boolean> {
  if (!tmux?.ownsServer || (leadProcess && (await isAlive(leadProcess)))) return false;
  if (!(await isAlive({ pid: tmux.serverPid, procStart: tmux.serverStart }))) return false;
  for (const member of members) {
    if (member.reservedBy && (await isAlive(member.reservedBy))) return false;
    if (await livingRecord(placeOf(world, name), member.name)) return false;
  }
  return true;
}
