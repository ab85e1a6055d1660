import type { Clock } from '../host/clock.js';
import { isAbort } from '../util/errors.js';

/** One timer for all members of a process: calls each of them again and again. */
export interface Pulse {
  /** Calls `beat` every `everyMs` until `signal` is aborted. A beat that throws is reported and called again. */
  every(everyMs: number, beat: () => Promise<void>, signal: AbortSignal): void;
  run(signal: AbortSignal): Promise<void>;
}

const TICK_MS = 1000;

export function createPulse(clock: Clock, onError: (error: unknown) => void): Pulse {
  const beats = new Set<{ everyMs: number; last: number; beat: () => Promise<void>; busy: boolean }>();
  return {
    every(everyMs, beat, signal) {
      if (signal.aborted) return;
      const entry = { everyMs, last: clock.monotonic(), beat, busy: false };
      beats.add(entry);
      signal.addEventListener('abort', () => beats.delete(entry), { once: true });
    },
    async run(signal) {
      while (!signal.aborted) {
        await clock.sleep(TICK_MS, signal).catch((error) => {
          if (!isAbort(error)) throw error;
        });
        const now = clock.monotonic();
        for (const entry of beats) {
          // A slow beat is skipped, not queued: after a stall there is no burst.
          if (signal.aborted || entry.busy || now - entry.last < entry.everyMs - TICK_MS / 2) continue;
          entry.last = now;
          entry.busy = true;
          entry
            .beat()
            .catch(onError)
            .finally(() => {
              entry.busy = false;
            });
        }
      }
    },
  };
}
