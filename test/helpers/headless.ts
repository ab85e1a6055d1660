import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import * as z from 'zod/mini';
import { RunResult } from '../../src/headless/result.js';
import { systemClock, within } from '../../src/host/clock.js';
import { collect } from '../../src/host/collect.js';
import { start } from '../../src/host/run.js';
import { BIN, type Stage } from './program.js';
import { textOf } from './requests.js';

const Line = z.looseObject({ type: z.string(), subtype: z.optional(z.string()) });
export type Line = z.infer<typeof Line>;

export interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The one object that stdout is, with no field more and no field less than a result has. */
export function resultOf({ stdout, stderr }: Ended): RunResult {
  expect(stdout.trimEnd().split('\n'), stderr).toHaveLength(1);
  return RunResult.parse(JSON.parse(stdout));
}

/** The objects that stdout is, one a line. */
export function linesOf({ stdout }: Ended): Line[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => Line.parse(JSON.parse(line)));
}

/** `run` with a result as JSON. */
export async function runJson(stage: Pick<Stage, 'troupe'>, ...args: string[]): Promise<Ended & { result: RunResult }> {
  const ended = await stage.troupe(['run', '--output-format', 'json', ...args], { timeout: 100_000 });
  return { ...ended, result: resultOf(ended) };
}

/** A template of the user's own. */
export async function addTemplate({ home }: Pick<Stage, 'home'>, name: string, text: string): Promise<void> {
  await mkdir(join(home, 'templates'), { recursive: true, mode: 0o700 });
  await writeFile(join(home, 'templates', `${name}.md`), text);
}

/** The texts of all requests that an agent sent: `team-lead`, `bob`, or the beginning of a sub-agent's `bob/`. */
export function heardBy({ server }: Pick<Stage, 'server'>, agent: string): string[] {
  return server
    .log()
    .filter(({ userId }) => userId.split(':').slice(2).join(':').startsWith(agent))
    .map(textOf);
}

/** The program while it runs. */
export interface Live extends AsyncDisposable {
  readonly pid: number;
  /** Nobody reads its stdout any more. */
  closeStdout(): void;
  stdout(): string;
  stderr(): string;
  ended(): Promise<Ended>;
}

const LAST_WORDS_MS = 10_000;

/** Starts the program; it is ended with the test. */
export async function live({ env, folder }: Stage, args: readonly string[], cwd = folder): Promise<Live> {
  const started = await start(process.execPath, [BIN, ...args], { cwd, env });
  const [stdout, stderr] = [collect(started.stdout), collect(started.stderr)];
  return {
    pid: started.pid,
    closeStdout: () => started.stdout?.destroy(),
    stdout: () => stdout.text(),
    stderr: () => stderr.text(),
    async ended() {
      const { code } = await started.exited;
      // What it printed last may come behind its end; what a killed one leaves running may hold its output for ever.
      await within(systemClock, LAST_WORDS_MS, () => Promise.all([stdout.ended, stderr.ended]));
      return { exitCode: code ?? -1, stdout: stdout.text(), stderr: stderr.text() };
    },
    async [Symbol.asyncDispose]() {
      try {
        process.kill(-started.pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
      await started.exited;
    },
  };
}
