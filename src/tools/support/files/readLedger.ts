import type { ReadLedger } from '../../../agent/tool.js';

type FileState = Parameters<ReadLedger['record']>[1];

/** What an agent knows of files, bounded: the file that was not looked at for the longest time is forgotten first. */
export interface BoundedReadLedger extends ReadLedger {
  /** One of its own with the same knowledge, for a fork. */
  copy(): BoundedReadLedger;
}

export function createReadLedger(limit = 1000, known: Iterable<readonly [string, FileState]> = []): BoundedReadLedger {
  const files = new Map(known);
  const touch = (path: string, state: FileState) => {
    files.delete(path);
    files.set(path, state);
  };
  return {
    record(path, state) {
      touch(path, state);
      const [oldest] = files.keys();
      if (files.size > limit && oldest !== undefined) files.delete(oldest);
    },
    get(path) {
      const state = files.get(path);
      if (state) touch(path, state);
      return state;
    },
    copy: () => createReadLedger(limit, files),
  };
}
