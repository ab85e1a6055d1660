import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';

export interface RunResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly input?: string;
  /** The whole environment of the program; this process's own when absent. */
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Milliseconds after which the program is ended. */
  readonly timeout?: number;
}

/** A program has printed more than is kept, and was ended. */
export class TooMuchOutputError extends Error {
  override readonly name = 'TooMuchOutputError';
}

const MOST_OUTPUT = 64 * 1024 * 1024;

/** Runs one program to its end. A non-zero exit is a result, not an exception; a program that cannot be started is one. */
export type Run = (file: string, args: readonly string[], options?: RunOptions) => Promise<RunResult>;

export const run: Run = async (file, args, { cwd, input, env, signal, timeout } = {}) => {
  const { execa } = await import('execa');
  const { exitCode, stdout, stderr, failed, shortMessage, isMaxBuffer } = await execa(file, args, {
    reject: false,
    maxBuffer: MOST_OUTPUT,
    ...(input === undefined ? { stdin: 'ignore' } : { input }),
    ...(cwd !== undefined && { cwd }),
    ...(env !== undefined && { env, extendEnv: false }),
    ...(timeout !== undefined && { timeout }),
    ...(signal && { cancelSignal: signal }),
  });
  if (isMaxBuffer) throw new TooMuchOutputError(`${shortMessage} (more than 64 MB)`);
  if (failed && exitCode === undefined) throw new Error(shortMessage);
  return { exitCode: exitCode ?? 0, stdout, stderr };
};

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A program that goes on running, in a process group and session of its own. */
export interface Started {
  readonly pid: number;
  readonly stdout: Readable | null;
  readonly stderr: Readable | null;
  /** Resolves when the program itself has ended, even while a child of it still holds its output. */
  readonly exited: Promise<Exit>;
  /** Lets this process end while the program goes on. */
  unref(): void;
}

export interface StartOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** `pipe` (default) to read it, `ignore`, or a file descriptor. */
  readonly output?: 'pipe' | 'ignore' | number;
  /** What its stdin holds; empty when absent. */
  readonly input?: string;
}

/** Starts a program without waiting for it. @throws when it cannot be started. */
export async function start(
  file: string,
  args: readonly string[],
  { cwd, env, output = 'pipe', input }: StartOptions = {},
): Promise<Started> {
  const { spawn } = await import('node:child_process');
  const child: ChildProcess = spawn(file, args, {
    detached: true,
    stdio: [input === undefined ? 'ignore' : 'pipe', output, output],
    ...(cwd !== undefined && { cwd }),
    ...(env !== undefined && { env: { ...env } }),
  });
  // It may end without having read it.
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', reject);
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${file} has no process id`);
  return {
    pid,
    stdout: child.stdout,
    stderr: child.stderr,
    exited: new Promise((resolve) => child.once('exit', (code, signal) => resolve({ code, signal }))),
    unref: () => child.unref(),
  };
}

/** Gives this terminal to a program until it ends. */
export async function handOver(
  file: string,
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
): Promise<Exit> {
  const { spawn } = await import('node:child_process');
  const child = spawn(file, args, { stdio: 'inherit', ...(env !== undefined && { env: { ...env } }) });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
}
