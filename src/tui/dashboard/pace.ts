import type { Clock } from '../../host/clock.js';

/** Hints of changes may be missing: so often it is looked anyway. */
const LOOK_MS = 1000;
/** And so often at most, however many hints there are. */
const MOST_OFTEN_MS = 250;

/** When to look again. */
export interface Pace {
  /** Something may have changed. */
  news(): void;
  /** The person waits for it. */
  now(): void;
  /** Resolves when it is time, and at once when `signal` is aborted. */
  next(): Promise<void>;
}

export function createPace(clock: Clock, signal: AbortSignal): Pace {
  let isNews = false;
  let isUrgent = false;
  let pause: { readonly over: AbortController; readonly endsWithNews: boolean } | undefined;
  const now = () => {
    isUrgent = true;
    pause?.over.abort();
  };
  signal.addEventListener('abort', now, { once: true });
  const sleep = async (ms: number, endsWithNews: boolean) => {
    const over = new AbortController();
    pause = { over, endsWithNews };
    try {
      await clock.sleep(ms, over.signal);
    } catch (error) {
      if (!over.signal.aborted) throw error;
    } finally {
      pause = undefined;
    }
  };
  return {
    now,
    news() {
      isNews = true;
      if (pause?.endsWithNews) pause.over.abort();
    },
    async next() {
      if (signal.aborted) return;
      if (!isUrgent) await sleep(MOST_OFTEN_MS, false);
      if (!isUrgent && !isNews) await sleep(LOOK_MS - MOST_OFTEN_MS, true);
      isUrgent = false;
      isNews = false;
    },
  };
}
