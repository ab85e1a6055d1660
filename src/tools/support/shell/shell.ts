import { endProgram, type Mark, markEnvironment, markedProcesses } from '../../../host/children.js';
import type { Clock } from '../../../host/clock.js';
import { procStart, signalGroup } from '../../../host/processes.js';
import { type Exit, start } from '../../../host/run.js';
import type { CommandOutput } from './commandOutput.js';

export interface ShellCall {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The member's mark with this call's id. */
  readonly mark: Mark;
  /** Ends the call's processes once they are too many, and then says so; of before the first of them. */
  readonly contain: () => boolean;
  readonly output: CommandOutput;
  /** Where the shell leaves the directory it ended in. */
  readonly cwdFile: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export type ShellEnd = { readonly kind: 'exited'; readonly exit: Exit } | { readonly kind: 'aborted' | 'too-many' };

// What would wait for a person, colour its output or open a pager.
const QUIET = {
  TERM: 'dumb',
  NO_COLOR: '1',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
  EDITOR: 'true',
  VISUAL: 'true',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'true',
  SSH_ASKPASS: 'true',
  DEBIAN_FRONTEND: 'noninteractive',
};
/** A fork bomb doubles many times in a tenth of a second. */
const LOOKED_AFTER_EVERY_MS = 50;
const GRACE_MS = 1000;
/** Cheap looks for one that is not. */
const LOOKS = 20;

/**
 * Runs a command with bash until its shell exits, whoever still holds its output; when aborted, it is ended with its whole
 * group and everything that carries the call's mark.
 */
export async function runShell(call: ShellCall): Promise<ShellEnd> {
  const { command, cwd, mark, output, signal, clock, cwdFile } = call;
  if (signal.aborted) return { kind: 'aborted' };
  const { FORCE_COLOR: _, CLICOLOR_FORCE: __, ...env } = call.env;
  const shell = await start('bash', ['-c', `${preamble(cwdFile)}${command}`], {
    cwd,
    env: { ...env, ...QUIET, ...markEnvironment(mark) },
    output: output.descriptor,
  });
  const leader = { pid: shell.pid, procStart: (await procStart(shell.pid)) ?? 'gone' };

  const over = new AbortController();
  const ended = shell.exited.then((exit): ShellEnd => ({ kind: 'exited', exit }));
  const looking = lookAfter(call, shell.pid, over.signal);
  const tooMany = looking.then((isOver) => (isOver ? NEVER : { kind: 'too-many' as const }));
  const end = await Promise.race([ended, tooMany, untilAborted(signal, over.signal)]);
  over.abort();
  await looking; // it may be about to trim the output
  if (end.kind !== 'exited') {
    await endProgram(leader, mark, clock, GRACE_MS);
    await shell.exited;
  }
  return end;
}

/** On one line with the command, so that bash's own messages count lines as the model does. Says nothing of its own. */
function preamble(cwdFile: string): string {
  return `trap ${quoted(`{ set +x; pwd -P > ${quoted(cwdFile)}; } 2> /dev/null`)} EXIT; `;
}

/** What a command printed, without what is not the model's in a line that bash quotes. */
export function asPrinted(output: string, { cwdFile }: Pick<ShellCall, 'cwdFile'>): string {
  return output.replaceAll(preamble(cwdFile), '');
}

const NEVER = new Promise<never>(() => {});

/** Keeps its output and its processes bounded; false as soon as they were too many. */
async function lookAfter({ clock, output, contain }: ShellCall, group: number, over: AbortSignal): Promise<boolean> {
  const printers = { pause: () => signalGroup(group, 'SIGSTOP'), resume: () => signalGroup(group, 'SIGCONT') };
  for (;;) {
    await clock.sleep(LOOKED_AFTER_EVERY_MS, over).catch(() => {});
    if (over.aborted) return true;
    if (contain()) return false;
    await output.trim(printers);
  }
}

function untilAborted(signal: AbortSignal, over: AbortSignal): Promise<ShellEnd> {
  return new Promise((resolve) => {
    const abort = () => resolve({ kind: 'aborted' });
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true, signal: over });
  });
}

/**
 * Keeps a command that is over bounded for as long as its children go on: the file that they print into, which is closed
 * with the last of them, and their number.
 */
export async function watchChildren({
  mark,
  output,
  clock,
  contain,
}: Pick<ShellCall, 'mark' | 'output' | 'clock' | 'contain'>): Promise<void> {
  while ((await markedProcesses(mark)).length > 0) {
    await output.trim();
    for (let tick = 0; tick < LOOKS; tick++) {
      await clock.sleep(LOOKED_AFTER_EVERY_MS);
      contain();
    }
  }
  await output.close();
}

const quoted = (text: string) => `'${text.replace(/'/g, "'\\''")}'`;
