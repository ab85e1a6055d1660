import * as z from 'zod/mini';
import { delayFor } from './retry.js';

/** The way to one model of one service while that refuses: everybody who uses it holds back until `until`. */
export const Lane = z.object({
  /** Milliseconds since the epoch. */
  until: z.number(),
  /** Refusals in a row, those of requests that were in flight together being one. */
  refusals: z.number(),
  /** As many of the last ones as said that the model is overloaded. */
  overloads: z.number(),
  /** When the last refusal that counted came. */
  at: z.number(),
});
export type Lane = z.infer<typeof Lane>;

const FORGET_AFTER_MS = 60_000;
/** Clocks of one machine agree; one that is behind by more was set back. */
const CLOCK_TOLERANCE_MS = 1000;

export interface Refusal {
  readonly now: number;
  /** When the refused request was sent. */
  readonly begun: number;
  readonly retryAfterMs: number | undefined;
  readonly isOverload: boolean;
  /** At least 0, less than 1. */
  readonly random: number;
}

/** A lane after one more refusal. Of requests sent before the last one came, only a longer `retry-after` counts. */
export function refused(lane: Lane | undefined, { now, begun, retryAfterMs, isOverload, random }: Refusal): Lane {
  if (lane !== undefined && !isOver(lane, now) && begun < lane.at) {
    const until = retryAfterMs === undefined ? lane.until : now + delayFor(1, retryAfterMs, random);
    return { ...lane, until: Math.max(lane.until, until) };
  }
  const before = lane === undefined || isOver(lane, now) ? { refusals: 0, overloads: 0 } : lane;
  const refusals = before.refusals + 1;
  return {
    refusals,
    overloads: isOverload ? before.overloads + 1 : 0,
    at: now,
    until: now + delayFor(refusals, retryAfterMs, random),
  };
}

/** Whether nobody needs to heed a lane's state any more, or can: the clock was set back behind it. */
export function isOver({ until, at }: Lane, now: number): boolean {
  return now > until + FORGET_AFTER_MS || now < at - CLOCK_TOLERANCE_MS;
}
