import type { Clock } from '../host/clock.js';
import { onFaults } from '../host/faults.js';
import { type EndSignal, onEndSignals } from '../host/signals.js';

/** Tells of SIGINT, SIGTERM and SIGHUP instead of dying of them; returns what restores the default. */
export function onInterrupt(onSignal: (signal: EndSignal) => void): () => void {
  return onEndSignals(onSignal);
}

/** Tells of errors that nobody caught instead of dying of them; returns what restores the default. */
export function onFault(tell: (error: Error) => void): () => void {
  return onFaults(tell);
}

/** The signals of whoever ends something that takes a while to end. */
export interface EndSignals {
  /** Aborted with the first of them. */
  readonly stop: AbortController;
  /** Aborted with any later one: the end is to be quick. */
  readonly hurry: AbortSignal;
  /** Brings back that this process dies of them. */
  restore(): void;
}

/** What passes signals on (npx, a shell) has one key press come twice. */
const ONE_PRESS_MS = 300;

/** Takes SIGINT, SIGTERM and SIGHUP instead of dying of them. A terminal that is closed hurries nobody, however often it says so. */
export function takeEndSignals(clock: Clock, onFirst: () => void = () => {}): EndSignals {
  const stop = new AbortController();
  const hurry = new AbortController();
  let firstAt = 0;
  const restore = onEndSignals((signal) => {
    if (!stop.signal.aborted) {
      firstAt = clock.monotonic();
      stop.abort(signal === 'SIGINT' ? 'SIGINT' : 'SIGTERM');
      onFirst();
    } else if (signal !== 'SIGHUP' && clock.monotonic() - firstAt > ONE_PRESS_MS) hurry.abort();
  });
  return { stop, hurry: hurry.signal, restore };
}
