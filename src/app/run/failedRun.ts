import type { RunResult } from '../../headless/result.js';
import { ExitCode } from '../../util/errors.js';

type Facts = Omit<RunResult, 'type' | 'subtype' | 'is_error' | 'result' | 'errors'>;

/** What is known of a run that never began. */
export const NO_FACTS: Facts = {
  session_id: '',
  team: '',
  num_turns: 0,
  duration_ms: 0,
  duration_api_ms: 0,
  total_cost_usd: 0,
  usage: { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  modelUsage: {},
  permission_denials: [],
  members: [],
  tasks: [],
  worktrees: [],
};

/** The result of a run that never began. */
export function failedRun(message: string, exitCode: ExitCode): RunResult {
  const isSignal = exitCode === ExitCode.interrupted || exitCode === ExitCode.terminated;
  return {
    type: 'result',
    subtype: isSignal ? 'interrupted' : 'error_during_execution',
    is_error: true,
    result: '',
    errors: [message],
    ...NO_FACTS,
  };
}
