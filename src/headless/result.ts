import type { Usage } from '../model/types.js';
import { ExitCode } from '../util/errors.js';

export type Subtype =
  | 'success'
  | 'error_max_turns'
  | 'error_max_budget_usd'
  | 'error_timeout'
  | 'error_during_execution'
  | 'error_teammates_unfinished'
  | 'error_max_structured_output_retries'
  | 'interrupted';

/** How a run ended, before it is put into the words of a result. */
export interface RunEnd {
  readonly subtype: Subtype;
  readonly exitCode: ExitCode;
  /** The lead's final text. */
  readonly text: string;
  readonly errors: readonly string[];
}

/** The API's own field names. */
export interface ApiUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
}

export interface MemberResult {
  readonly name: string;
  readonly state: string;
  readonly turns: number;
  readonly usage: ApiUsage;
  readonly costUsd: number;
  readonly worktree?: string;
  readonly lastReport?: string;
}

export interface Denial {
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly tool_input: unknown;
}

/** What `troupe run --output-format json` prints: one object, whatever happened. */
export interface RunResult {
  readonly type: 'result';
  readonly subtype: Subtype;
  readonly is_error: boolean;
  readonly result: string;
  readonly errors?: readonly string[];
  readonly session_id: string;
  readonly team: string;
  readonly num_turns: number;
  readonly duration_ms: number;
  readonly duration_api_ms: number;
  readonly total_cost_usd: number;
  readonly usage: ApiUsage;
  readonly modelUsage: Readonly<Record<string, object>>;
  readonly permission_denials: readonly Denial[];
  readonly members: readonly MemberResult[];
  readonly tasks: readonly object[];
  readonly worktrees: readonly object[];
}

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
    ...(end.errors.length > 0 && { errors: end.errors }),
    ...facts,
  };
}
