import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { hasCode } from '../util/errors.js';

const LINE_END = 0x0a;
const CHUNK = 1024 * 1024;

/**
 * The lines of a file as it is now, one after the other: memory does not grow with the file. `undefined` in place of a
 * line of more than `maxBytes`. A last line without its end comes too. Nothing where there is no such file.
 */
export async function* streamLines(
  path: string,
  { maxBytes = 64 * CHUNK }: { readonly maxBytes?: number } = {},
): AsyncGenerator<string | undefined, void> {
  const size = await sizeOf(path);
  if (size === 0) return;
  let pieces: Buffer[] = [];
  let length = 0;
  const keep = (piece: Buffer) => {
    length += piece.length;
    if (length > maxBytes) pieces = [];
    else pieces.push(piece);
  };
  const line = () => {
    const text = length > maxBytes ? undefined : Buffer.concat(pieces).toString('utf8');
    pieces = [];
    length = 0;
    return text;
  };
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK, end: size - 1 })) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, from)) {
      keep(chunk.subarray(from, end));
      yield line();
      from = end + 1;
    }
    if (from < chunk.length) keep(chunk.subarray(from));
  }
  if (length > 0) yield line();
}

/**
 * Hands every record of a file of JSON lines to `take`, one after the other, which says whether it knows such a record.
 * Returns how many lines are none: torn ones, also at the end, too long ones, and those that `take` does not know.
 */
export async function eachRecord(path: string, take: (record: unknown) => boolean): Promise<number> {
  let broken = 0;
  for await (const line of streamLines(path)) {
    if (line !== '' && (line === undefined || !isTaken(line, take))) broken++;
  }
  return broken;
}

function isTaken(line: string, take: (record: unknown) => boolean): boolean {
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch {
    return false;
  }
  return take(record);
}

/** 0 where there is no file. */
async function sizeOf(path: string): Promise<number> {
  try {
    const facts = await stat(path);
    return facts.isFile() ? facts.size : 0;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 0;
    throw error;
  }
}
