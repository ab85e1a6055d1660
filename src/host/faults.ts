/**
 * Tells `onFault` of what nobody caught, an error or a rejection, instead of dying of it. Returns the function that
 * restores the default.
 */
export function onFaults(onFault: (error: Error) => void): () => void {
  const tell = (reason: unknown) => onFault(reason instanceof Error ? reason : new Error(String(reason)));
  process.on('uncaughtException', tell);
  process.on('unhandledRejection', tell);
  return () => {
    process.off('uncaughtException', tell);
    process.off('unhandledRejection', tell);
  };
}
