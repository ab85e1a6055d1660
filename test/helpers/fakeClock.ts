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
      await settle(); // let started work reach its sleep before time moves
      now += ms;
      const due = waiting.filter(({ at }) => at <= now);
      waiting = waiting.filter(({ at }) => at > now);
      for (const { wake } of due) wake();
      await settle();
    },
  };
}

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
