import { ExitCode } from '../util/errors.js';
import type { RunEnd } from './result.js';

/** How often the lead is asked again for an answer that fits. */
const RETRIES = 3;

/** The answer as data that a run owes, and how often it was not given. */
export interface Answer {
  accept(value: unknown): void;
  /** One more try without an answer that fits, and what was wrong with it. */
  miss(problems: readonly string[]): void;
  given(): { readonly value: unknown } | undefined;
  /** How the run ends for want of an answer; nothing while there are tries left. */
  failure(text: string): RunEnd | undefined;
  /** Aborted with the last try. */
  readonly hopeless: AbortSignal;
}

export function createAnswer(): Answer {
  let given: { value: unknown } | undefined;
  let misses = 0;
  let newest: readonly string[] = [];
  const over = new AbortController();
  return {
    hopeless: over.signal,
    accept(value) {
      given = { value };
    },
    miss(problems) {
      misses++;
      newest = problems;
      if (!given && misses > RETRIES) over.abort();
    },
    given: () => given,
    failure(text) {
      if (given || misses <= RETRIES) return undefined;
      return {
        subtype: 'error_max_structured_output_retries',
        exitCode: ExitCode.failed,
        text,
        errors: [`No answer of ${misses} fitted the schema of --json-schema. The last time: ${newest.join('; ')}`],
      };
    },
  };
}
