import { statSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { hasCode } from '../util/errors.js';

/** Whole lines of a file that grows, and where to go on behind them. */
export interface NewLines {
  readonly text: string;
  /** In bytes. */
  readonly end: number;
  /** Where the text begins: behind `place` where only the end of a long file was read. */
  readonly from: number;
}

/**
 * The whole lines of a file from byte `place` on, or from its beginning where it has become shorter; nothing where there
 * is no file. Of more than `most` bytes only the last are read, from the beginning of a line.
 */
export async function linesBehind(path: string, place: number, most = Number.POSITIVE_INFINITY): Promise<NewLines> {
  // Nearly every look finds nothing new, and a stat at once costs a twentieth of opening the file.
  if (statSync(path, { throwIfNoEntry: false })?.size === place) return { text: '', from: place, end: place };
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return { text: '', from: 0, end: 0 };
    throw error;
  }
  try {
    const { size } = await file.stat();
    const begin = size < place ? 0 : place;
    for (let length = most; ; length *= 8) {
      const from = Math.max(begin, size - length);
      const found = wholeLines(await bytesOf(file, from, size - from), from, from > begin);
      // A single line may be longer than what was looked at.
      if (found.text !== '' || from === begin) return found;
    }
  } finally {
    await file.close();
  }
}

async function bytesOf(file: FileHandle, from: number, length: number): Promise<Buffer> {
  if (length <= 0) return Buffer.alloc(0);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from);
  return buffer.subarray(0, bytesRead);
}

function wholeLines(bytes: Buffer, from: number, isInTheMiddle: boolean): NewLines {
  const start = isInTheMiddle ? bytes.indexOf('\n') + 1 : 0;
  const end = bytes.lastIndexOf('\n') + 1;
  return { text: bytes.toString('utf8', Math.min(start, end), end), from: from + start, end: from + end };
}
