import { failedRun } from '../app/run/failedRun.js';
import { inertJson } from '../report/workflowCommands.js';
import type { ExitCode } from '../util/errors.js';

/** The one JSON object of a `run` that failed before it had a result of its own; nothing for any other command line. */
export function runFailure(message: string, exitCode: ExitCode, argv: readonly string[]): string | undefined {
  const format = argv[0] === 'run' ? outputFormat(argv) : undefined;
  if (format !== 'json' && format !== 'stream-json') return undefined;
  return inertJson(JSON.stringify(failedRun(message, exitCode)));
}

function outputFormat(argv: readonly string[]): string | undefined {
  const index = argv.findIndex((word) => word === '--output-format' || word.startsWith('--output-format='));
  const word = argv[index];
  return word?.includes('=') ? word.slice(word.indexOf('=') + 1) : argv[index + 1];
}
