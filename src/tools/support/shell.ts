import { endAll, endMarked, type Mark, markEnvironment, markedProcesses } from '../../host/children.js';
import type { Clock } from '../../host/clock.js';
import { groupMembers, type ProcessRef, procStart } from '../../host/processes.js';
import { type Exit, start } from '../../host/run.js';
import type { CommandOutput } from './commandOutput.js';

export interface ShellCall {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The member's mark with this call's id. */
  readonly mark: Mark;
  /** Milliseconds. */
  readonly timeout: number;
  readonly output: CommandOutput;
  /** Where the shell leaves the directory it ended in. */
  readonly cwdFile: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export type ShellEnd = { readonly kind: 'exited'; readonly exit: Exit } | { readonly kind: 'timeout' | 'aborted' };

// What would wait for a person, colour its output or open a pager.
const QUIET = {
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'true',
  EDITOR: 'true',
  GIT_TERMINAL_PROMPT: '0',
};
const TRIM_EVERY_MS = 200;
const GRACE_MS = 1000;

/**
 * Runs a command with bash until its shell exits, whoever still holds its output; past its time, or when aborted, it is
 * ended with its whole group and everything that carries the call's mark.
 */
export async function runShell(call: ShellCall): Promise<ShellEnd> {
  const { command, cwd, mark, output, signal, clock, cwdFile } = call;
  const { FORCE_COLOR: _, CLICOLOR_FORCE: __, ...env } = call.env;
  // On one line with the command, so that bash's own messages count lines as the model does.
  const script = `trap ${quoted(`pwd -P > ${quoted(cwdFile)}`)} EXIT; ${command}`;
  const shell = await start('bash', ['-c', script], {
    cwd,
    env: { ...env, ...QUIET, ...markEnvironment(mark) },
    output: output.descriptor,
  });
  const leader = { pid: shell.pid, procStart: (await procStart(shell.pid)) ?? 'gone' };

  const over = new AbortController();
  const ended = shell.exited.then((exit): ShellEnd => ({ kind: 'exited', exit }));
  const late = untilTimeout(call, over.signal);
  const end = await Promise.race([ended, late, untilAborted(signal, over.signal)]);
  over.abort();
  await late; // it may be about to trim the output
  if (end.kind !== 'exited') {
    await endCall(leader, mark, clock);
    await shell.exited;
  }
  return end;
}

async function untilTimeout({ clock, timeout, output }: ShellCall, over: AbortSignal): Promise<ShellEnd> {
  const until = clock.monotonic() + timeout;
  for (let left = timeout; left > 0; left = until - clock.monotonic()) {
    await clock.sleep(Math.min(left, TRIM_EVERY_MS), over).catch(() => {});
    if (over.aborted) break;
    await output.trim();
  }
  return { kind: 'timeout' };
}

function untilAborted(signal: AbortSignal, over: AbortSignal): Promise<ShellEnd> {
  return new Promise((resolve) => {
    const abort = () => resolve({ kind: 'aborted' });
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true, signal: over });
  });
}

/** The group catches children that dropped the mark, the mark those that left the group. */
async function endCall(leader: ProcessRef, mark: Mark, clock: Clock): Promise<void> {
  const [group, marked] = await Promise.all([groupMembers(leader), markedProcesses(mark)]);
  await endAll([...group, ...marked.filter(({ pid }) => !group.some((member) => member.pid === pid))], clock, GRACE_MS);
  await endMarked(mark, clock, GRACE_MS);
}

/** Keeps the file of a command that is over bounded for as long as its children go on printing into it, then closes it. */
export async function trimWhileRunning(mark: Mark, output: CommandOutput, clock: Clock): Promise<void> {
  while ((await markedProcesses(mark)).length > 0) {
    await output.trim();
    await clock.sleep(1000);
  }
  await output.close();
}

const quoted = (text: string) => `'${text.replace(/'/g, "'\\''")}'`;
