import * as z from 'zod/mini';
import type { Usage } from '../model/types.js';
import { ExitCode } from '../util/errors.js';

const Count = z.int().check(z.nonnegative());
const Amount = z.number().check(z.nonnegative());

export const Subtype = z.enum([
  'success',
  'error_max_turns',
  'error_max_budget_usd',
  'error_timeout',
  'error_during_execution',
  'error_teammates_unfinished',
  'error_max_structured_output_retries',
  'interrupted',
]);
export type Subtype = z.infer<typeof Subtype>;

/** How a run ended, before it is put into the words of a result. */
export interface RunEnd {
  readonly subtype: Subtype;
  readonly exitCode: ExitCode;
  /** The lead's final text. */
  readonly text: string;
  readonly errors: readonly string[];
}

/** The API's own field names. */
export const ApiUsage = z.strictObject({
  input_tokens: Count,
  output_tokens: Count,
  cache_creation_input_tokens: Count,
  cache_read_input_tokens: Count,
});
export type ApiUsage = z.infer<typeof ApiUsage>;

export const MemberResult = z.strictObject({
  name: z.string(),
  state: z.enum(['starting', 'working', 'idle', 'exited', 'terminated']).check(z.describe('Before the team was ended')),
  turns: Count,
  usage: ApiUsage,
  costUsd: Amount,
  activity: z.optional(z.string().check(z.describe('What it was doing when the run ended'))),
  worktree: z.optional(z.string().check(z.describe('A path'))),
  lastReport: z.optional(z.string().check(z.describe('The text with which it ended its last turn'))),
});
export type MemberResult = z.infer<typeof MemberResult>;

export const TaskResult = z.strictObject({
  id: z.string(),
  subject: z.string(),
  status: z.enum(['pending', 'in_progress', 'completed']),
  owner: z.optional(z.string()),
});

export const WorktreeResult = z.strictObject({
  member: z.string(),
  path: z.string(),
  branch: z.string(),
  holds: z.array(z.string()).check(z.describe('Why it was kept: what is nowhere else')),
  lost: z.optional(z.literal(true).check(z.describe('Something of it is gone: the exit code is 4'))),
});
export type WorktreeResult = z.infer<typeof WorktreeResult>;

export const Denial = z.strictObject({
  tool_name: z.string(),
  tool_use_id: z.string(),
  tool_input: z.optional(z.unknown()),
  member: z.string().check(z.describe('Whose call it was, or whose sub-agent made it')),
});
export type Denial = z.infer<typeof Denial>;

const ModelUsage = z.strictObject({
  inputTokens: Count,
  outputTokens: Count,
  cacheReadInputTokens: Count,
  cacheCreationInputTokens: Count,
  webSearchRequests: Count,
  costUSD: Amount,
  contextWindow: Count,
});

/**
 * What `troupe run --output-format json` prints: one object, whatever happened. `schemas/result.schema.json` is made of it.
 */
export const RunResult = z.strictObject({
  type: z.literal('result'),
  subtype: Subtype,
  is_error: z.boolean().check(z.describe('True exactly when the exit code is not 0')),
  result: z.string().check(z.describe("The lead's final text")),
  structured_output: z.optional(z.unknown().check(z.describe('What fits the schema of --json-schema'))),
  errors: z.optional(z.array(z.string()).check(z.minLength(1))),
  session_id: z.string().check(z.describe('The session of the lead; empty where the run could not begin')),
  team: z.string(),
  num_turns: Count.check(z.describe('Responses of the model that the lead had')),
  duration_ms: Count,
  duration_api_ms: Count.check(
    z.describe('How long the models of all members took, which may well be at the same time'),
  ),
  total_cost_usd: Amount,
  usage: ApiUsage,
  modelUsage: z.record(z.string(), ModelUsage),
  permission_denials: z.array(Denial),
  members: z.array(MemberResult),
  tasks: z.array(TaskResult),
  worktrees: z.array(WorktreeResult).check(z.describe('Worktrees that hold something and are still there, or lost it')),
});
export type RunResult = z.infer<typeof RunResult>;

export function toApiUsage({ input, output, cacheRead, cacheWrite }: Usage): ApiUsage {
  return {
    input_tokens: input,
    output_tokens: output,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
  };
}

/** An end is an error exactly when its exit code is not 0. */
export function resultOf(
  end: RunEnd,
  facts: Omit<RunResult, 'type' | 'subtype' | 'is_error' | 'result' | 'errors'>,
): RunResult {
  return {
    type: 'result',
    subtype: end.subtype,
    is_error: end.exitCode !== ExitCode.ok,
    result: end.text,
    ...(end.errors.length > 0 && { errors: [...end.errors] }),
    ...facts,
  };
}
