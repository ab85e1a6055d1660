/** Time, as everything that waits or stamps is given it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds that never jump back, for durations. */
  monotonic(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Node takes a longer time for one millisecond. */
const LONGEST_MS = 2 ** 31 - 1;

let timers: typeof import('node:timers/promises') | undefined;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    timers ??= await import('node:timers/promises');
    const options = signal ? { signal } : {};
    let left = ms;
    for (; left > LONGEST_MS; left -= LONGEST_MS) await timers.setTimeout(LONGEST_MS, undefined, options);
    await timers.setTimeout(left, undefined, options);
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

export interface SilenceWatch {
  /** There was a sign of life just now. */
  heard(): void;
  end(): void;
}

/** Calls `onSilence` once nothing was heard for `ms`. One sleep covers many signs of life, for they may come thick and fast. */
export function watchSilence(clock: Clock, ms: number, onSilence: () => void): SilenceWatch {
  const over = new AbortController();
  let last = clock.monotonic();
  const watching = async () => {
    for (let left = ms; left > 0; left = last + ms - clock.monotonic()) await clock.sleep(left, over.signal);
    onSilence();
  };
  watching().catch((error: unknown) => {
    if (!over.signal.aborted) throw error;
  });
  return {
    heard() {
      last = clock.monotonic();
    },
    end: () => over.abort(),
  };
}
