import { createReadStream } from 'node:fs';
import { hasCode } from '../../../util/errors.js';
import { head } from '../../../util/text.js';
import { decoderFor } from './encoding.js';
import type { Encoding } from './fileKind.js';

export interface LineRange {
  /** The first line shown, from 1. */
  readonly offset: number;
  readonly limit: number;
  /** Bytes of text after which nothing more is shown. */
  readonly maxBytes: number;
  /** UTF-16 units after which a line is cut. */
  readonly maxLine: number;
  /** What it begins like. */
  readonly encoding: Encoding;
  readonly signal: AbortSignal;
}

export interface Lines {
  readonly shown: readonly string[];
  /** How many lines the file has; at least so many when `isCounted` is false. */
  readonly total: number;
  readonly isCounted: boolean;
  readonly cutLines: number;
  /** What it turned out to be: text that is no UTF-8 counts as Latin-1. */
  readonly encoding: Encoding;
}

const COUNTED_BYTES = 32 * 1024 * 1024;

/** Some lines of a text file of any size, without their ends; memory stays within what is shown. */
export async function readLines(path: string, range: LineRange): Promise<Lines> {
  try {
    return await decodedLines(path, range);
  } catch (error) {
    if (range.encoding !== 'utf-8' || !hasCode(error, 'ERR_ENCODING_INVALID_ENCODED_DATA')) throw error;
    return decodedLines(path, { ...range, encoding: 'windows-1252' });
  }
}

async function decodedLines(path: string, range: LineRange): Promise<Lines> {
  const { offset, limit, maxBytes, maxLine, encoding, signal } = range;
  const shown: string[] = [];
  let total = 0;
  let bytes = 0;
  let cutLines = 0;
  let isFull = false;
  const take = (line: string, length: number) => {
    total++;
    if (total < offset || isFull) return;
    const text =
      length > maxLine ? `${head(line, maxLine)} [… ${length - maxLine} more characters in this line]` : line;
    bytes += Buffer.byteLength(text) + 1;
    isFull = shown.length >= limit || (bytes > maxBytes && shown.length > 0);
    if (isFull) return;
    if (length > maxLine) cutLines++;
    shown.push(text);
  };

  let line = '';
  let length = 0;
  let readBytes = 0;
  const decode = decoderFor(encoding, encoding === 'utf-8', false);
  const stream = createReadStream(path, { signal });
  for await (const chunk of stream) {
    readBytes += chunk.length;
    const pieces = decode(chunk).split('\n');
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) {
        take(line.replace(/\r$/, ''), line.endsWith('\r') && length === line.length ? length - 1 : length);
        line = '';
        length = 0;
      }
      if (line.length <= maxLine) line += head(piece, maxLine + 2 - Math.min(line.length, maxLine));
      length += piece.length;
    }
    if (isFull && readBytes > COUNTED_BYTES) {
      stream.destroy();
      return { shown, total, isCounted: false, cutLines, encoding };
    }
  }
  line += decode();
  if (length > 0) take(line.replace(/\r$/, ''), Math.max(length, line.length));
  return { shown, total, isCounted: true, cutLines, encoding };
}
