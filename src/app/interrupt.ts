import { type EndSignal, onEndSignals } from '../host/signals.js';

/** Tells of SIGINT, SIGTERM and SIGHUP instead of dying of them; returns what restores the default. */
export function onInterrupt(onSignal: (signal: EndSignal) => void): () => void {
  return onEndSignals(onSignal);
}
