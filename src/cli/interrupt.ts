import { onInterrupt } from '../app/interrupt.js';

/** Runs `work` until it ends or the person presses Ctrl-C, which is a normal end. */
export async function untilInterrupted(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const stop = new AbortController();
  const restore = onInterrupt((signal) => stop.abort(signal));
  try {
    await work(stop.signal);
  } finally {
    restore();
  }
}
