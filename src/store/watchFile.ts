import { type FSWatcher, watch } from 'node:fs';

/**
 * Calls `onChange` when something in `folder` changes, until `signal` is aborted. Only a hint: some file systems
 * never tell, so whoever uses it polls as well.
 */
export function watchFolder(folder: string, onChange: () => void, signal: AbortSignal): void {
  if (signal.aborted) return;
  let watcher: FSWatcher;
  try {
    watcher = watch(folder, { persistent: false }, onChange);
  } catch {
    return;
  }
  watcher.on('error', () => watcher.close());
  signal.addEventListener('abort', () => watcher.close(), { once: true });
}
