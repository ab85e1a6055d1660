import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import * as z from 'zod/mini';
import { start } from '../../src/host/run.js';
import { BIN, type Stage } from './program.js';

const Usage = z.strictObject({
  input_tokens: z.number(),
  output_tokens: z.number(),
  cache_creation_input_tokens: z.number(),
  cache_read_input_tokens: z.number(),
});

/** The result of a run, with no field more and no field less. */
const Result = z.strictObject({
  type: z.literal('result'),
  subtype: z.string(),
  is_error: z.boolean(),
  result: z.string(),
  errors: z.optional(z.array(z.string()).check(z.minLength(1))),
  session_id: z.string(),
  team: z.string(),
  num_turns: z.int(),
  duration_ms: z.int(),
  duration_api_ms: z.int(),
  total_cost_usd: z.number(),
  usage: Usage,
  modelUsage: z.record(
    z.string(),
    z.strictObject({
      inputTokens: z.int(),
      outputTokens: z.int(),
      cacheReadInputTokens: z.int(),
      cacheCreationInputTokens: z.int(),
      webSearchRequests: z.int(),
      costUSD: z.number(),
      contextWindow: z.int(),
    }),
  ),
  permission_denials: z.array(
    z.strictObject({ tool_name: z.string(), tool_use_id: z.string(), tool_input: z.unknown() }),
  ),
  members: z.array(
    z.strictObject({
      name: z.string(),
      state: z.string(),
      turns: z.int(),
      usage: Usage,
      costUsd: z.number(),
      worktree: z.optional(z.string()),
      lastReport: z.optional(z.string()),
    }),
  ),
  tasks: z.array(
    z.strictObject({ id: z.string(), subject: z.string(), status: z.string(), owner: z.optional(z.string()) }),
  ),
  worktrees: z.array(
    z.strictObject({ member: z.string(), path: z.string(), branch: z.string(), why: z.array(z.string()) }),
  ),
});
export type Result = z.infer<typeof Result>;

const Line = z.looseObject({ type: z.string(), subtype: z.optional(z.string()) });
export type Line = z.infer<typeof Line>;

export interface Ended {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The one object that stdout is. */
export function resultOf({ stdout, stderr }: Ended): Result {
  expect(stdout.trimEnd().split('\n'), stderr).toHaveLength(1);
  return Result.parse(JSON.parse(stdout));
}

/** The objects that stdout is, one a line. */
export function linesOf({ stdout }: Ended): Line[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => Line.parse(JSON.parse(line)));
}

/** `run` with a result as JSON. */
export async function runJson(stage: Pick<Stage, 'troupe'>, ...args: string[]): Promise<Ended & { result: Result }> {
  const ended = await stage.troupe(['run', '--output-format', 'json', ...args], { timeout: 60_000 });
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
    .map(({ body }) => JSON.stringify(body));
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

/** Starts the program; it is ended with the test. */
export async function live({ env, folder }: Stage, args: readonly string[], cwd = folder): Promise<Live> {
  const started = await start(process.execPath, [BIN, ...args], { cwd, env });
  let [stdout, stderr] = ['', ''];
  started.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  started.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  return {
    pid: started.pid,
    closeStdout: () => started.stdout?.destroy(),
    stdout: () => stdout,
    stderr: () => stderr,
    async ended() {
      const { code } = await started.exited;
      return { exitCode: code ?? -1, stdout, stderr };
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
