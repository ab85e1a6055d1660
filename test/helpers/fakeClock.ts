import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../src/host/clock.js';

/** Time that moves only when a test says so. */
export function fakeClock(start = Date.UTC(2026, 0, 1)): Clock & { advance(ms: number): Promise<void> } {
  let now = start;
  let waiting: { at: number; wake: () => void }[] = [];
  return {
    now: () => now,
    monotonic: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const abort = () => reject(signal?.reason);
        if (signal?.aborted) return abort();
        signal?.addEventListener('abort', abort, { once: true });
        const wake = () => {
          signal?.removeEventListener('abort', abort);
          resolve();
        };
        waiting.push({ at: now + ms, wake });
      }),
    async advance(ms) {
      // Started work may still be on its way to its sleep, through real files: time must not move past it.
      for (let look = 0; look < LOOKS && !waiting.some(({ at }) => at <= now + ms); look++) await delay(LOOK_MS);
      await settle();
      now += ms;
      const due = waiting.filter(({ at }) => at <= now);
      waiting = waiting.filter(({ at }) => at > now);
      for (const { wake } of due) wake();
      await settle();
    },
  };
}

const LOOKS = 40;
const LOOK_MS = 5;

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
