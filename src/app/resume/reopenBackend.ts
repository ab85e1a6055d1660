import { isAlive } from '../../host/processes.js';
import type { Pane } from '../../panes/backend.js';
import type { StartMember } from '../../panes/inProcess.js';
import { createTmuxBackend, type TmuxBackend } from '../../panes/tmux/backend.js';
import { LEAD } from '../../team/member.js';
import { paneOf } from '../../team/shutdown.js';
import type { TeamFile } from '../../team/teamFile.js';
import type { World } from '../services.js';
import {
  type BackendWish,
  type DecidedBackend,
  type OpenBackend,
  openBackend,
  recordedBackend,
} from '../start/backends.js';

export interface ReopenedBackend extends OpenBackend {
  /** The tmux that members may still live in: the same one, or another that is left behind. */
  readonly before?: TmuxBackend | undefined;
  /** Whether it is the one that the team had. */
  readonly isReopened: boolean;
}

/** The team's own tmux server, where that still runs; else a place like that of a new team. */
export async function reopenBackend(
  world: World,
  team: TeamFile,
  decided: DecidedBackend,
  wish: BackendWish,
  startHere: StartMember,
): Promise<ReopenedBackend> {
  const before = (await isServerAlive(team)) ? recordedBackend(world, team) : undefined;
  if (decided.type === 'tmux' && decided.where === 'own-server' && team.tmux?.ownsServer && before) {
    const { tmux, layout = 'panes' } = team;
    const { run, clock, program } = world;
    const leadPane = await leadPaneIn(before, team);
    const panes = createTmuxBackend({
      facts: tmux,
      team: team.name,
      run,
      clock,
      program,
      environment: world.environment(),
      layout,
      ...(leadPane && { leadPane }),
    });
    const leadIsHere = wish.command === 'run';
    return { backend: panes, panes, tmux, leadIsHere, before, isReopened: true, ...(leadPane && { leadPane }) };
  }
  const open = await openBackend(world, decided, wish, team.name, startHere);
  const isSame = open.tmux !== undefined && open.tmux.serverPid === team.tmux?.serverPid && before !== undefined;
  return { ...open, before, isReopened: isSame };
}

async function isServerAlive({ tmux }: TeamFile): Promise<boolean> {
  return tmux !== undefined && isAlive({ pid: tmux.serverPid, procStart: tmux.serverStart });
}

/** The pane that the dead lead had, if it is still there. */
async function leadPaneIn(panes: TmuxBackend, { members }: TeamFile): Promise<Pane | undefined> {
  const lead = members.find(({ name }) => name === LEAD);
  if (!lead?.tmuxPaneId.startsWith('%')) return undefined;
  const pane = paneOf(lead);
  return (await panes.has(pane)) ? { ...pane, ownsPane: true } : undefined;
}
