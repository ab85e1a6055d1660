import { ExitCode } from '../util/errors.js';

/** The one JSON object of a `run` that failed before it had a result of its own; nothing for any other command line. */
export function runFailure(message: string, exitCode: ExitCode, argv: readonly string[]): string | undefined {
  const format = argv[0] === 'run' ? outputFormat(argv) : undefined;
  if (format !== 'json' && format !== 'stream-json') return undefined;
  const nothing = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  return JSON.stringify({
    type: 'result',
    subtype: isSignal(exitCode) ? 'interrupted' : 'error_during_execution',
    is_error: true,
    result: '',
    errors: [message],
    session_id: '',
    team: '',
    num_turns: 0,
    duration_ms: 0,
    duration_api_ms: 0,
    total_cost_usd: 0,
    usage: nothing,
    modelUsage: {},
    permission_denials: [],
    members: [],
    tasks: [],
    worktrees: [],
  });
}

function isSignal(exitCode: ExitCode): boolean {
  return exitCode === ExitCode.interrupted || exitCode === ExitCode.terminated;
}

function outputFormat(argv: readonly string[]): string | undefined {
  const index = argv.findIndex((word) => word === '--output-format' || word.startsWith('--output-format='));
  const word = argv[index];
  return word?.includes('=') ? word.slice(word.indexOf('=') + 1) : argv[index + 1];
}
