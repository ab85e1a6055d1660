import { addAbortSignal, type Readable } from 'node:stream';
import type { Clock } from '../../host/clock.js';

export interface InputOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Milliseconds that the first byte, or the end, may take; without it there is no limit. */
  readonly patienceMs?: number | undefined;
}

/**
 * All of an input as text; `undefined` when nothing came in time, for whoever starts a program may leave its input open
 * for good. @throws AbortError when `signal` is aborted first.
 */
export async function readInput(
  input: Readable,
  { clock, signal, patienceMs }: InputOptions,
): Promise<string | undefined> {
  if (patienceMs !== undefined && !(await beginsWithin(input, clock, signal, patienceMs))) {
    // Nobody reads it any more, so it must not keep the process alive either.
    input.destroy();
    return undefined;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of addAbortSignal(signal, input)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

async function beginsWithin(input: Readable, clock: Clock, signal: AbortSignal, ms: number): Promise<boolean> {
  const done = new AbortController();
  const begun = new Promise<true>((resolve) => {
    for (const event of ['readable', 'end', 'error', 'close']) input.once(event, () => resolve(true));
  });
  const late = clock.sleep(ms, AbortSignal.any([signal, done.signal])).then(
    () => false,
    () => true,
  );
  try {
    return await Promise.race([begun, late]);
  } finally {
    done.abort();
  }
}
