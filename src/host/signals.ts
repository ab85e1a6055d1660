export type EndSignal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/**
 * Tells `onSignal` of each signal that asks this process to end, instead of dying of it.
 * Returns the function that restores the default.
 */
export function onEndSignals(onSignal: (signal: EndSignal) => void): () => void {
  const signals: EndSignal[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, onSignal);
  return () => {
    for (const signal of signals) process.off(signal, onSignal);
  };
}
