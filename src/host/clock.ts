/** Time, as everything that waits or stamps is given it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds that never jump back, for durations. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    const { setTimeout: delay } = await import('node:timers/promises');
    await delay(ms, undefined, signal ? { signal } : {});
  },
};

/** ISO 8601 in UTC, as inboxes, transcripts and events carry it. */
export function isoTime(clock: Clock): string {
  return new Date(clock.now()).toISOString();
}

/** `work`, or `undefined` when `ms` pass first. The work goes on unless it watches the signal that it is given. */
export async function within<T>(
  clock: Clock,
  ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const late = new AbortController();
  const done = new AbortController();
  const timer = clock.sleep(ms, done.signal).then(
    () => undefined,
    () => undefined,
  );
  try {
    return await Promise.race([work(late.signal), timer]);
  } finally {
    // Only now: work that answers its abort at once would else win after all.
    late.abort();
    done.abort();
  }
}
