import { constants } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { onOpenFile } from '../store/openFile.js';
import { createQueue } from '../util/queue.js';
import { head } from '../util/text.js';

const { O_RDONLY, O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
const DEFAULT_MAX_BYTES = 5 * 1024 ** 3;
/** Kept free for the last section. */
const RESERVED_BYTES = 128 * 1024;
const KEPT_LINES = 1000;
export const FULL = '\n[full: no more is kept]\n';

/** The file that a task's words go into: its last section is its result. */
export interface TaskOutputFile {
  readonly path: string;
  write(text: string): void;
  /** All of it is on disk when it returns, and nothing is written any more. */
  finish(text: string): Promise<void>;
  /** Puts a text before everything else. Only once it is finished: whoever has it open goes on reading the old one. */
  putFirst(text: string): Promise<void>;
  /** The newest lines, at most 1000. */
  lastLines(): readonly string[];
}

/**
 * A new file at `path`; what lies there already, a symbolic link above all, is never written to.
 * @param maxBytes what it may grow to. Past it there is a marker, and `onFull` is called once.
 * @throws EEXIST
 */
export async function createTaskOutput(
  path: string,
  { maxBytes = DEFAULT_MAX_BYTES, onFull = () => {} }: { maxBytes?: number | undefined; onFull?: () => void } = {},
): Promise<TaskOutputFile> {
  const file: FileHandle = await open(path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  const queue = createQueue();
  const reserved = Math.min(RESERVED_BYTES, Math.floor(maxBytes / 2));
  const room = maxBytes - reserved - FULL.length;
  let size = 0;
  let isFull = false;
  let isFinished = false;
  let failure: unknown;
  let lines: string[] = [];

  const append = (text: string) => {
    size += Buffer.byteLength(text);
    const [rest = '', ...more] = text.split('\n');
    lines = [...lines.slice(0, -1), `${lines.at(-1) ?? ''}${rest}`, ...more].slice(-KEPT_LINES);
    queue
      .run(() => onOpenFile(path, () => file.appendFile(text)))
      .catch((error: unknown) => {
        failure ??= error;
      });
  };

  return {
    path,
    write(text) {
      if (isFull || isFinished || text === '') return;
      if (size + Buffer.byteLength(text) <= room) return append(text);
      isFull = true;
      append(`${cutAt(text, Math.max(0, room - size))}${FULL}`);
      onFull();
    },
    async finish(text) {
      if (isFinished) return;
      isFinished = true;
      if (text !== '') append(cutAt(`${size > 0 ? '\n' : ''}${text}\n`, maxBytes - size));
      await queue.run(async () => {
        await onOpenFile(path, () => file.datasync());
        await file.close();
      });
      if (failure !== undefined) throw failure;
    },
    async putFirst(text) {
      const beside = `${path}.new`;
      const [before, after] = await Promise.all([
        open(path, O_RDONLY | O_NOFOLLOW),
        open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600),
      ]);
      try {
        await after.write(`${text}\n\n`);
        for await (const chunk of before.createReadStream({ autoClose: false })) await after.write(chunk);
        await rename(beside, path);
      } finally {
        await Promise.all([before.close(), after.close()]);
        await rm(beside, { force: true });
      }
    },
    lastLines: () => lines,
  };
}

/** As much of `text` as has room in `bytes`, never half a code point. */
function cutAt(text: string, bytes: number): string {
  let cut = head(text, bytes);
  while (Buffer.byteLength(cut) > bytes) cut = head(cut, Math.floor((cut.length * bytes) / Buffer.byteLength(cut)));
  return cut;
}
