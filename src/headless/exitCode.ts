import type { TurnEnd } from '../agent/events.js';
import { ModelError } from '../model/types.js';
import { ExitCode } from '../util/errors.js';
import type { RunEnd } from './result.js';

/** What the way in which the lead's turn ended means for the run; nothing where the run goes on. */
export function endOfTurn(end: TurnEnd): RunEnd | undefined {
  const { text } = end;
  switch (end.reason) {
    case 'max-turns':
      return {
        subtype: 'error_max_turns',
        exitCode: ExitCode.limit,
        text,
        errors: ['The lead has had all the turns that it may have (--max-turns).'],
      };
    case 'failed':
      return { ...failure(end.error), text, errors: [end.error.message] };
    default:
      return undefined;
  }
}

function failure(error: Error): Pick<RunEnd, 'subtype' | 'exitCode'> {
  const subtype = 'error_during_execution';
  if (!(error instanceof ModelError)) return { subtype, exitCode: ExitCode.failed };
  switch (error.failure) {
    case 'budget':
      return { subtype: 'error_max_budget_usd', exitCode: ExitCode.limit };
    case 'unavailable':
      return { subtype, exitCode: ExitCode.unavailable };
    case 'unauthorized':
      return { subtype, exitCode: ExitCode.refused };
    default:
      return { subtype, exitCode: ExitCode.failed };
  }
}
