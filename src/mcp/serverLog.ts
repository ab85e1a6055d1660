import { appendFile, mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { tail } from '../util/text.js';

/** What a server writes to its stderr. */
export interface ServerLog {
  readonly path: string;
  add(text: string): void;
  /** The last lines, for an error. */
  lastLines(): string;
  /** Resolves when all of it is on disk. */
  written(): Promise<void>;
}

const MAX_CHARACTERS = 1024 * 1024;
const KEPT = 64 * 1024;
const LAST_LINES = 5;

/** A log file of at most about 1 MB: when it is full, only its end is kept. Writing never fails a server. */
export function openServerLog(path: string): ServerLog {
  let kept = '';
  let size = 0;
  let writing: Promise<void> = Promise.resolve();
  const queue = (work: () => Promise<void>) => {
    writing = writing.then(work).catch(() => {});
  };
  return {
    path,
    add(text) {
      if (size === 0) queue(async () => void (await mkdir(dirname(path), { recursive: true, mode: 0o700 })));
      kept = tail(kept + text, KEPT);
      size += text.length;
      if (size <= MAX_CHARACTERS) return queue(() => appendFile(path, text, { mode: 0o600 }));
      const end = kept;
      size = end.length;
      queue(() => writeFile(path, `[what came before was not kept]\n${end}`, { mode: 0o600 }));
    },
    lastLines: () => kept.trimEnd().split('\n').slice(-LAST_LINES).join('\n').trim(),
    written: () => writing,
  };
}
