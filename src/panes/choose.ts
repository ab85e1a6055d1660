import { UserError } from '../util/errors.js';
import { sessionAround } from './iterm2/it2.js';
import { versionProblem } from './tmux/parse.js';

export type WantedBackend = 'auto' | 'tmux' | 'iterm2' | 'in-process';

/** `notice`: a line for the person, when something else was hoped for. */
export type ChosenBackend = { readonly notice?: string } & (
  | { readonly type: 'tmux'; readonly where: 'inside' | 'own-server' }
  | { readonly type: 'iterm2' }
  | { readonly type: 'in-process' }
);

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
    /** Why iTerm2 cannot show members from here, with the way to change that. */
    iterm2Problem(): Promise<string | undefined>;
  };
}

/** Where members run. @throws UserError for an explicit choice that cannot be honoured: never another one instead. */
export async function chooseBackend(question: BackendQuestion): Promise<ChosenBackend> {
  const { wanted, command, detach, isTerminal } = question;
  if (wanted === 'iterm2' && command === 'run') {
    throw new UserError('--backend iterm2 is for "troupe up", where a person looks. Use --backend tmux or in-process.');
  }
  if (command === 'up' && !isTerminal && !detach) {
    throw new UserError('"troupe up" needs a terminal, or --detach. Without either, use "troupe run".');
  }
  if ((wanted === 'in-process' || wanted === 'iterm2') && command === 'up' && detach) {
    throw new UserError('--detach needs tmux: nothing would run on in this process. Use "troupe run" instead.');
  }
  if (wanted === 'in-process' || (command === 'run' && wanted === 'auto')) return { type: 'in-process' };
  if (wanted === 'iterm2') {
    const problem = await question.probe.iterm2Problem();
    if (problem === undefined) return { type: 'iterm2' };
    throw new UserError(`--backend iterm2: ${problem} Or use --backend tmux or --backend in-process.`);
  }
  return inTmuxOrIterm2(question);
}

async function inTmuxOrIterm2(question: BackendQuestion): Promise<ChosenBackend> {
  const { wanted, detach, environment, probe } = question;
  const problem = await tmuxProblem(question);
  const where = problem === undefined ? await whereOf(question) : undefined;
  const isIterm2 = wanted === 'auto' && !detach && sessionAround(environment) !== undefined && where !== 'inside';
  const without = isIterm2 ? await probe.iterm2Problem() : undefined;
  if (isIterm2 && without === undefined) return { type: 'iterm2' };
  if (where !== undefined)
    return {
      type: 'tmux',
      where,
      ...(without !== undefined && { notice: `${without} Until then members are in tmux.` }),
    };
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
