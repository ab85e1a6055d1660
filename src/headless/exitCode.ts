import { DeniedError } from '../agent/autoMode.js';
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

/** Why a run was ended from outside. An error is a fault inside. */
export type Stop = 'timeout' | 'SIGINT' | 'SIGTERM' | 'EPIPE' | Error;

/** What a run's signal was aborted with. */
export function stopOf(reason: unknown): Stop {
  if (reason instanceof Error) return reason;
  return reason === 'timeout' || reason === 'SIGINT' || reason === 'EPIPE' ? reason : 'SIGTERM';
}

/** What it means for a run that it was stopped with `text` as the lead's words so far. */
export function endOfStop(stop: Stop, text: string): RunEnd {
  const interrupted = (exitCode: ExitCode, what: string): RunEnd => ({
    subtype: 'interrupted',
    exitCode,
    text,
    errors: [what],
  });
  if (stop instanceof Error)
    return {
      subtype: 'error_during_execution',
      exitCode: ExitCode.failed,
      text,
      errors: [`That is a fault of troupe itself: ${stop.message}`],
    };
  switch (stop) {
    case 'timeout':
      return {
        subtype: 'error_timeout',
        exitCode: ExitCode.timeout,
        text,
        errors: ['The run was not done within --timeout.'],
      };
    case 'SIGINT':
      return interrupted(ExitCode.interrupted, 'Interrupted (SIGINT).');
    case 'EPIPE':
      return interrupted(ExitCode.brokenPipe, 'Nobody reads the output any more.');
    default:
      return interrupted(ExitCode.terminated, 'Ended (SIGTERM).');
  }
}

function failure(error: Error): Pick<RunEnd, 'subtype' | 'exitCode'> {
  const subtype = 'error_during_execution';
  if (error instanceof DeniedError) return { subtype, exitCode: ExitCode.refused };
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
