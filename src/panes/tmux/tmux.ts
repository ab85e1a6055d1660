import type { Run } from '../../host/run.js';
import { joinCommands, type TmuxCommand } from './commands.js';

export type TmuxFailure = 'no-server' | 'gone' | 'duplicate' | 'no-space' | 'refused';

/** tmux said no, in its own words. */
export class TmuxError extends Error {
  override readonly name = 'TmuxError';
  readonly failure: TmuxFailure;

  constructor(failure: TmuxFailure, command: string, words: string) {
    super(`tmux ${command}: ${words.trim() || 'failed without a word'}`);
    this.failure = failure;
  }
}

/** Runs commands in one tmux call and returns the lines they print. @throws TmuxError */
export type Tmux = (...commands: readonly [TmuxCommand, ...TmuxCommand[]]) => Promise<string[]>;

export type TmuxTarget = { readonly socketPath: string } | { readonly socketName: string };

// A server that is stopped (SIGSTOP) must not hang whoever asks it.
const ANSWERS_WITHIN_MS = 15_000;

/** The door to one tmux server. `env` is the client's whole environment, and the server's when the call starts it. */
export function createTmux(
  run: Run,
  target: TmuxTarget,
  globals: readonly string[] = [],
  env?: Readonly<Record<string, string>>,
): Tmux {
  const socket = 'socketPath' in target ? ['-S', target.socketPath] : ['-L', target.socketName];
  return async (...commands) => {
    // Without -u, separators and names turn into `_` in a C locale.
    const result = await run('tmux', ['-u', ...socket, ...globals, ...joinCommands(commands)], {
      timeout: ANSWERS_WITHIN_MS,
      ...(env !== undefined && { env }),
    });
    if (result.exitCode !== 0) {
      const words = result.stderr || result.stdout;
      throw new TmuxError(classify(words), commands[0][0], words);
    }
    return result.stdout === '' ? [] : result.stdout.split('\n');
  };
}

export function classify(words: string): TmuxFailure {
  // "server exited" and "no current target" are what a command gets that races with the end of the last pane.
  if (/no server running|error connecting|server exited|lost server|no current target/.test(words)) return 'no-server';
  if (/can't find (session|window|pane)|no such (session|window|pane)/.test(words)) return 'gone';
  if (/duplicate session/.test(words)) return 'duplicate';
  if (/no space for|pane too small|create pane failed/.test(words)) return 'no-space';
  return 'refused';
}

export function isTmuxFailure(error: unknown, ...failures: readonly TmuxFailure[]): boolean {
  return error instanceof TmuxError && failures.includes(error.failure);
}
