import type { Layout } from '../../panes/arrange.js';
import type { Backend, Pane } from '../../panes/backend.js';
import { chooseBackend, type WantedBackend } from '../../panes/choose.js';
import { createInProcessBackend, type StartMember } from '../../panes/inProcess.js';
import { iterm2Problem, sessionAround } from '../../panes/iterm2/it2.js';
import { createTmuxBackend, type TmuxBackend } from '../../panes/tmux/backend.js';
import { startOwnServer, type TmuxServerFacts, tmuxProbe, useServer } from '../../panes/tmux/server.js';
import { LEAD } from '../../team/member.js';
import { paneOf } from '../../team/shutdown.js';
import type { TeamFile } from '../../team/teamFile.js';
import type { World } from '../services.js';

/** A place for a team's members, opened. */
export interface OpenBackend {
  readonly backend: Backend;
  /** For the TeamFile. */
  readonly tmux?: TmuxServerFacts;
  /** The tmux side of it: attaching, and giving back what was taken. */
  readonly panes?: TmuxBackend;
  /** Where the lead is to run: its empty pane; absent where it runs in the process that starts the team. */
  readonly leadPane?: Pane;
  /** The lead runs in this process, in a pane that is the user's. */
  readonly leadIsHere: boolean;
}

export interface BackendWish {
  readonly wanted: WantedBackend;
  readonly command: 'up' | 'run';
  readonly detach: boolean;
  readonly isTerminal: boolean;
  readonly layout: Layout;
}

/** Decides without touching anything. @throws UserError for what cannot be honoured. */
export async function decideBackend(world: World, { wanted, command, detach, isTerminal }: BackendWish) {
  const environment = world.environment();
  const probe = {
    ...tmuxProbe(world.run, environment),
    iterm2Problem: () => iterm2Problem(world.run, environment),
  };
  return chooseBackend({ wanted, command, detach, isTerminal, environment, probe });
}

export type DecidedBackend = Awaited<ReturnType<typeof decideBackend>>;

/** Makes the decision true: starts our server, or finds our place in the user's. */
export async function openBackend(
  world: World,
  decided: DecidedBackend,
  wish: BackendWish,
  team: string,
  startHere: StartMember,
): Promise<OpenBackend> {
  if (decided.type === 'in-process')
    return { backend: createInProcessBackend({ startMember: startHere }), leadIsHere: true };
  const environment = world.environment();
  const { run, clock, program } = world;
  if (decided.type === 'iterm2') {
    const session = sessionAround(environment) ?? '';
    const launchFileOf = world.home.team(team).launchFile;
    const { createIterm2Backend } = await import('../../panes/iterm2/backend.js');
    const backend = createIterm2Backend({ team, run, clock, environment, program, session, launchFileOf });
    return { backend, leadIsHere: true };
  }
  const base = { team, run, clock, environment, program, layout: wish.layout };
  if (decided.where === 'own-server') {
    const { facts, leadPane } = await startOwnServer({ team, home: world.home.root, run, clock, environment });
    const panes = createTmuxBackend({ ...base, facts, leadPane });
    return { backend: panes, panes, tmux: facts, leadPane, leadIsHere: wish.command === 'run' };
  }
  const { facts, leadPane, dedicatedWindow } = await useServer({
    environment,
    pane: environment['TMUX_PANE'] ?? '',
    detach: wish.detach,
    run,
  });
  const panes = createTmuxBackend({ ...base, facts, dedicatedWindow, ...(leadPane && { leadPane }) });
  return { backend: panes, panes, tmux: facts, ...(leadPane && { leadPane }), leadIsHere: !wish.detach };
}

/** The tmux of a team that runs already; nothing where its members are in the lead's process. */
export function recordedBackend(world: World, team: TeamFile): TmuxBackend | undefined {
  if (!team.tmux) return undefined;
  return backendOn(world, team.tmux, { team: team.name, layout: team.layout, ...leadPaneOf(team) });
}

/** The tmux of a team, by what is known of the server. */
export function backendOn(
  world: World,
  facts: TmuxServerFacts,
  {
    team,
    layout = 'panes',
    leadPane,
  }: { readonly team: string; readonly layout?: Layout | undefined; readonly leadPane?: Pane },
): TmuxBackend {
  const { run, clock, program } = world;
  const environment = world.environment();
  return createTmuxBackend({ facts, team, run, clock, program, environment, layout, ...(leadPane && { leadPane }) });
}

function leadPaneOf({ members }: TeamFile): { leadPane?: Pane } {
  const lead = members.find(({ name }) => name === LEAD);
  if (!lead?.tmuxPaneId) return {};
  return { leadPane: paneOf(lead) };
}
