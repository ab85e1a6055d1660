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
