import { constants, fstatSync, ftruncateSync, readSync } from 'node:fs';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { head, tail } from '../../../util/text.js';
import { clip, marker } from '../clip.js';

/** The file that a command prints into: bounded, and readable while the command still runs. */
export interface CommandOutput {
  readonly path: string;
  /** What the command gets as its stdout and stderr. */
  readonly descriptor: number;
  /**
   * Drops the middle once the file is larger than its limit. To be called now and then while something is printed; what is
   * printed in the very moment is lost unless those who print can be paused for it.
   */
  trim(printers?: Printers): Promise<void>;
  /** At most about `limit` UTF-16 units, beginning and end. */
  read(limit: number): Promise<{ readonly text: string; readonly isWhole: boolean }>;
  close(): Promise<void>;
  remove(): Promise<void>;
}

/** Who prints into the file. */
export interface Printers {
  pause(): void;
  resume(): void;
}

const { O_RDWR, O_CREAT, O_TRUNC, O_APPEND, O_NOFOLLOW } = constants;
const KEPT_END = 16 * 1024;
const MOST_LOOKS = 100;

/** @param maxBytes what the file may grow to (at least 32 KiB); more is there only between two calls of `trim`. */
export async function createCommandOutput(path: string, maxBytes = 64 * 1024 * 1024): Promise<CommandOutput> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Appending keeps what is printed behind a cut in its place.
  const file = await open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW, 0o600);
  return {
    path,
    descriptor: file.fd,
    async trim(printers) {
      // At once, for it is asked many times a second.
      if (fstatSync(file.fd).size <= maxBytes) return;
      printers?.pause();
      try {
        if (printers) await untilStill(file);
        const { size } = fstatSync(file.fd);
        const kept = Math.floor(maxBytes / 2);
        const end = Buffer.alloc(KEPT_END);
        readSync(file.fd, end, 0, KEPT_END, size - KEPT_END);
        ftruncateSync(file.fd, kept);
        await file.appendFile(`${marker(size - kept - KEPT_END, 'bytes', 'They were not kept.')}${end}`);
      } finally {
        printers?.resume();
      }
    },
    async read(limit) {
      const { size } = await file.stat();
      const whole = `All of it is in ${path}`;
      if (size > limit * 4) {
        const first = head(await bytesAt(file, 0, limit * 4), Math.ceil((limit * 2) / 3));
        const last = tail(await bytesAt(file, size - limit * 2, limit * 2), Math.floor(limit / 3));
        const left = size - Buffer.byteLength(first) - Buffer.byteLength(last);
        return { text: `${first}${marker(left, 'bytes', whole)}${last}`, isWhole: false };
      }
      const text = await bytesAt(file, 0, size);
      return { text: clip(text, limit, whole), isWhole: text.length <= limit };
    },
    close: () => file.close(),
    remove: () => rm(path, { force: true }),
  };
}

/** Until nobody prints: a signal takes a moment to arrive. */
async function untilStill(file: FileHandle): Promise<void> {
  let before = -1;
  for (let look = 0; look < MOST_LOOKS; look++) {
    const { size } = await file.stat();
    if (size === before) return;
    before = size;
  }
}

async function bytesAt(file: FileHandle, position: number, length: number): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, Math.max(0, position));
  return buffer.toString('utf8', 0, bytesRead);
}
