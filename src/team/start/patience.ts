import type { Clock } from '../../host/clock.js';

/** How long what is waited for may take where it gets somewhere all the time: the machine is busy then. */
export const LONGEST_MS = 120_000;
/** Fewer looks than this in a third of the patience: it is this process that did not run. */
const LEAST_LOOKS = 10;

export interface PatienceOptions {
  readonly clock: Clock;
  /** Milliseconds for somebody who does nothing. */
  readonly forMs: number;
  /** Processor time that they have had so far; `undefined` where nobody can tell, which counts as nothing. */
  readonly effort: () => Promise<number | undefined>;
  /** Milliseconds of it in a third of the patience that are not nothing. */
  readonly leastMs: number;
}

/**
 * Begins to wait for a process. What it returns is asked at each look, and says whether the patience is at its end: when
 * nothing was done in its last third, or in any later one, or when `LONGEST_MS` are over.
 */
export function createPatience({ clock, forMs, effort, leastMs }: PatienceOptions): () => Promise<boolean> {
  const third = forMs / 3;
  const begun = clock.monotonic();
  let nextAt = begun + forMs - third;
  let looks = 0;
  let before: number | undefined;
  let isFirst = true;
  return async () => {
    looks++;
    const now = clock.monotonic();
    if (now < nextAt) return false;
    const done = await effort();
    const moved = done !== undefined && before !== undefined && done - before >= leastMs;
    const isOver = !isFirst && looks >= LEAST_LOOKS && (!moved || now - begun >= LONGEST_MS);
    isFirst = false;
    looks = 0;
    before = done;
    nextAt = now + third;
    return isOver;
  };
}
