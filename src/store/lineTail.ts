import type { FileHandle } from 'node:fs/promises';

/** Where a file of JSON lines can be continued, found from its end: the cost does not grow with the file. */
export interface LineTail {
  /** Bytes up to the end of the last whole line; what follows was torn by a crash. */
  readonly end: number;
  /** The last line lacks nothing but its line end. */
  readonly needsLineEnd: boolean;
  /** The last line that is JSON. */
  readonly last: unknown;
}

const LINE_END = 0x0a;
const FIRST_LOOK = 64 * 1024;

export async function readLineTail(file: FileHandle): Promise<LineTail> {
  const { size } = await file.stat();
  for (let length = FIRST_LOOK; ; length *= 8) {
    const from = Math.max(0, size - length);
    const bytes = await readFrom(file, from, size - from);
    const tail = tailOf(bytes, from);
    if (tail) return tail;
    if (from === 0) return { end: 0, needsLineEnd: false, last: undefined };
  }
}

/** Removes a torn last line, so that the next one starts at the beginning of a line. */
export async function mendTail(file: FileHandle): Promise<LineTail> {
  const tail = await readLineTail(file);
  if (tail.needsLineEnd) await file.appendFile('\n');
  else await file.truncate(tail.end);
  return tail;
}

/** `undefined` when these bytes hold no whole line that is JSON, and more of the file has to be looked at. */
function tailOf(bytes: Buffer, from: number): LineTail | undefined {
  const end = bytes.lastIndexOf(LINE_END) + 1;
  const unfinished = jsonOf(bytes.subarray(end));
  if (unfinished !== undefined && (end > 0 || from === 0))
    return { end: from + bytes.length, needsLineEnd: true, last: unfinished };
  for (let lineEnd = end - 1; lineEnd >= 0; ) {
    const lineStart = lineEnd === 0 ? 0 : bytes.lastIndexOf(LINE_END, lineEnd - 1) + 1;
    if (lineStart === 0 && from > 0) return undefined;
    const line = jsonOf(bytes.subarray(lineStart, lineEnd));
    if (line !== undefined) return { end: from + end, needsLineEnd: false, last: line };
    lineEnd = lineStart - 1;
  }
  return from === 0 ? { end, needsLineEnd: false, last: undefined } : undefined;
}

async function readFrom(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, position);
  return bytes.subarray(0, bytesRead);
}

function jsonOf(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'));
  } catch {
    return undefined;
  }
}
