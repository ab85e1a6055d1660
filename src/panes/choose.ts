import { UserError } from '../util/errors.js';
import { versionProblem } from './tmux/parse.js';

export type WantedBackend = 'auto' | 'tmux' | 'iterm2' | 'in-process';

export type ChosenBackend =
  | { readonly type: 'tmux'; readonly where: 'inside' | 'own-server' }
  /** `notice`: a line for the person, when something else was hoped for. */
  | { readonly type: 'in-process'; readonly notice?: string };

export interface BackendQuestion {
  readonly wanted: WantedBackend;
  readonly command: 'up' | 'run' | 'add';
  readonly detach: boolean;
  readonly isTerminal: boolean;
  readonly environment: Readonly<Record<string, string>>;
  readonly probe: {
    /** What `tmux -V` prints; `undefined` without tmux on the PATH. */
    tmuxVersion(): Promise<string | undefined>;
    /** Whether the tmux of `$TMUX` has exactly this pane. */
    answersForPane(pane: string): Promise<boolean>;
  };
}

/** Where members run. @throws UserError for an explicit choice that cannot be honoured: never another one instead. */
export async function chooseBackend(question: BackendQuestion): Promise<ChosenBackend> {
  const { wanted, command, detach, isTerminal } = question;
  if (wanted === 'iterm2') {
    throw new UserError('There is no iTerm2 backend yet. Use --backend tmux or --backend in-process.');
  }
  if (command === 'up' && !isTerminal && !detach) {
    throw new UserError('"troupe up" needs a terminal, or --detach. Without either, use "troupe run".');
  }
  if (wanted === 'in-process' && command === 'up' && detach) {
    throw new UserError('--detach needs tmux: nothing would run on in this process. Use "troupe run" instead.');
  }
  if (wanted === 'in-process' || (command === 'run' && wanted === 'auto')) return { type: 'in-process' };
  const problem = await tmuxProblem(question);
  if (problem === undefined) return { type: 'tmux', where: await whereOf(question) };
  if (wanted === 'tmux') throw new UserError(`${problem} Install one, or use --backend in-process.`);
  if (detach) throw new UserError(`--detach needs tmux. ${problem} Install one, or use "troupe run".`);
  return { type: 'in-process', notice: `${problem} The team runs in this process. /dashboard shows its members.` };
}

async function tmuxProblem({ probe }: BackendQuestion): Promise<string | undefined> {
  const version = await probe.tmuxVersion();
  return version === undefined ? 'There is no tmux on the PATH.' : versionProblem(version);
}

async function whereOf({ command, environment, probe }: BackendQuestion): Promise<'inside' | 'own-server'> {
  const { TMUX, TMUX_PANE } = environment;
  if (command === 'run' || !TMUX || !TMUX_PANE) return 'own-server';
  return (await probe.answersForPane(TMUX_PANE)) ? 'inside' : 'own-server';
}
