import { readFile, stat } from 'node:fs/promises';
import { ToolError } from '../../util/errors.js';

/** A text file as Edit and Write need it: its text without byte order mark, and what has to be kept of it. */
export interface TextFile {
  readonly text: string;
  readonly hasMark: boolean;
  /** Most of its lines end in CR LF. */
  readonly isCrlf: boolean;
  readonly state: FileState;
}

export interface FileState {
  readonly mtimeMs: number;
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
}

const LARGEST = 64 * 1024 * 1024;
const MARK = '\ufeff';

export async function fileState(path: string): Promise<FileState> {
  const { mtimeMs, size, mode } = await stat(path);
  return { mtimeMs, size, mode: mode & 0o7777 };
}

/** @throws ToolError for what is not a regular file of UTF-8 text or is larger than 64 MiB; ENOENT. */
export async function readTextFile(path: string): Promise<TextFile> {
  const found = await stat(path);
  if (found.isDirectory()) throw new ToolError(`${path} is a folder.`);
  if (!found.isFile()) throw new ToolError(`${path} is not a regular file.`);
  if (found.size > LARGEST)
    throw new ToolError(`${path} has ${found.size} bytes, too many to edit here. Change it with Bash (sed, a script).`);
  const state = { mtimeMs: found.mtimeMs, size: found.size, mode: found.mode & 0o7777 };
  const whole = decode(await readFile(path), path);
  const hasMark = whole.startsWith(MARK);
  const crlf = whole.split('\r\n').length - 1;
  const lf = whole.split('\n').length - 1 - crlf;
  return { text: hasMark ? whole.slice(1) : whole, hasMark, isCrlf: crlf > lf, state };
}

function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new ToolError(`${path} is not UTF-8 text, so editing it here would damage it. Change it with Bash.`, {
      cause: error,
    });
  }
}

/** The text as it goes to disk. */
export function encodeText(text: string, { hasMark, isCrlf }: Pick<TextFile, 'hasMark' | 'isCrlf'>): string {
  return `${hasMark ? MARK : ''}${isCrlf ? toCrlf(text) : text}`;
}

export function toCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}
