import type { CommandHook } from '../definitions/hook.js';
import { endProgram, type Mark, markEnvironment } from '../host/children.js';
import { type Clock, within } from '../host/clock.js';
import { collect } from '../host/collect.js';
import { procStart } from '../host/processes.js';
import { start } from '../host/run.js';
import type { HookEnd } from './answer.js';

export interface CommandCall {
  readonly hook: CommandHook;
  /** What it reads from stdin. */
  readonly input: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Of this one run of the hook: what of it is left is found by it. */
  readonly mark: Mark;
  readonly clock: Clock;
  /** Ends it, with all it has started. */
  readonly signal: AbortSignal;
}

const GRACE_MS = 1000;
/** How long what a hook has printed may take to arrive when somebody else holds its output. */
const LAST_WORDS_MS = 500;

/** Runs a command hook to its end; nothing where it was ended first. @throws where it cannot be started. */
export async function runCommandHook(call: CommandCall): Promise<HookEnd | undefined> {
  const { hook, input, cwd, env, mark, clock, signal } = call;
  if (signal.aborted) return undefined;
  const [file, args] = argvOf(hook);
  const child = await start(file, args, { cwd, env: { ...env, ...markEnvironment(mark) }, input });
  const leader = { pid: child.pid, procStart: (await procStart(child.pid)) ?? 'gone' };
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const over = new AbortController();
  const exit = await Promise.race([child.exited, untilAborted(signal, over.signal)]);
  over.abort();
  if (exit === undefined) {
    await endProgram(leader, mark, clock, GRACE_MS);
    return undefined;
  }
  await within(clock, LAST_WORDS_MS, () => Promise.all([stdout.ended, stderr.ended]));
  for (const stream of [child.stdout, child.stderr]) stream?.destroy();
  return { exitCode: exit.code ?? 128, stdout: stdout.text(), stderr: stderr.text() };
}

function argvOf({ command, args, shell }: CommandHook): [string, readonly string[]] {
  if (args) return [command, args];
  // Its stdin is a socket, and bash takes that for a remote login, which reads ~/.bashrc.
  return shell === 'powershell' ? ['pwsh', ['-NoProfile', '-Command', command]] : ['bash', ['--norc', '-c', command]];
}

function untilAborted(signal: AbortSignal, over: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true, signal: over });
  });
}
