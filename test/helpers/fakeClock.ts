import { type Clock, systemClock } from '../../src/host/clock.js';
import { eventually } from './eventually.js';

export interface FakeClock extends Clock {
  /** Moves time to where somebody's sleep ends, or to just before it: waits until somebody sleeps so. */
  advance(ms: number): Promise<void>;
  /** Moves time though nobody may be sleeping. */
  pass(ms: number): Promise<void>;
  /** How many sleep. */
  sleeping(): number;
}

/** Time that moves only when a test says so. */
export function fakeClock(start = Date.UTC(2026, 0, 1)): FakeClock {
  let now = start;
  let waiting: { at: number; wake: () => void }[] = [];
  const pass = async (ms: number) => {
    await settle();
    now += ms;
    const due = waiting.filter(({ at }) => at <= now);
    waiting = waiting.filter(({ at }) => at > now);
    for (const { wake } of due) wake();
    await settle();
  };
  return {
    now: () => now,
    monotonic: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const abort = () => {
          waiting = waiting.filter((one) => one !== sleeper);
          reject(signal?.reason);
        };
        if (signal?.aborted) return reject(signal.reason);
        signal?.addEventListener('abort', abort, { once: true });
        const sleeper = {
          at: now + ms,
          wake: () => {
            signal?.removeEventListener('abort', abort);
            resolve();
          },
        };
        waiting.push(sleeper);
      }),
    async advance(ms) {
      // Started work may still be on its way to its sleep, through real files: time must not move past it.
      await eventually(() => {
        if (!waiting.some(({ at }) => at <= now + ms + 1)) throw new Error(`Nobody sleeps ${ms} or ${ms + 1} ms.`);
      });
      await pass(ms);
    },
    pass,
    sleeping: () => waiting.length,
  };
}

/** The real time, but that a sleep of just so long is over only when `isTime` passes as well: what has a time-out gets that far first. */
export function realClockUntil(ms: number, isTime: () => unknown): Clock {
  return {
    ...systemClock,
    async sleep(slept, signal) {
      await systemClock.sleep(slept, signal);
      if (slept === ms) await eventually(isTime);
    },
  };
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
