import type { Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { hasCode, isSystemError, messageOf, ToolError } from '../../../util/errors.js';
import { wellFormed } from '../../../util/text.js';
import { decoded, encoded } from './encoding.js';
import { type Encoding, kindOf } from './fileKind.js';

/** A text file as Edit and Write need it: its text without byte order mark, and what has to be kept of it. */
export interface TextFile {
  readonly text: string;
  readonly hasMark: boolean;
  readonly encoding: Encoding;
  /** Most of its lines end in CR LF. */
  readonly isCrlf: boolean;
  readonly state: FileState;
}

export interface FileState {
  readonly mtimeMs: number;
  readonly size: number;
  /** Permission bits. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

const LARGEST = 64 * 1024 * 1024;
const MARK = '\ufeff';

export async function fileState(path: string): Promise<FileState> {
  return stateOf(await stat(path));
}

function stateOf({ mtimeMs, size, mode, uid, gid }: Stats): FileState {
  return { mtimeMs, size, mode: mode & 0o7777, uid, gid };
}

/** @throws ToolError for what is not a regular file of text or is larger than 64 MiB; ENOENT. */
export async function readTextFile(path: string): Promise<TextFile> {
  try {
    return await loaded(path);
  } catch (error) {
    if (!isSystemError(error) || hasCode(error, 'ENOENT', 'ENOTDIR')) throw error;
    throw new ToolError(`${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

async function loaded(path: string): Promise<TextFile> {
  const found = await stat(path);
  if (found.isDirectory()) throw new ToolError(`${path} is a folder.`);
  if (!found.isFile()) throw new ToolError(`${path} is not a regular file.`);
  if (found.size > LARGEST)
    throw new ToolError(`${path} has ${found.size} bytes, too many to edit here. Change it with Bash (sed, a script).`);
  const { text: whole, encoding } = textOf(await readFile(path), path);
  const hasMark = whole.startsWith(MARK);
  const crlf = whole.split('\r\n').length - 1;
  const lf = whole.split('\n').length - 1 - crlf;
  return { text: hasMark ? whole.slice(1) : whole, hasMark, encoding, isCrlf: crlf > lf, state: stateOf(found) };
}

/** As Read shows it: by its mark, else as UTF-8, else as Latin-1. */
function textOf(bytes: Buffer, path: string): { readonly text: string; readonly encoding: Encoding } {
  const kind = kindOf(bytes);
  if (kind.kind !== 'text')
    throw new ToolError(`${path} is no text, so editing it here would damage it. Use Bash with a program for it.`);
  const { encoding } = kind;
  try {
    return { text: decoded(bytes, encoding), encoding };
  } catch (error) {
    if (encoding === 'utf-8') return { text: decoded(bytes, 'windows-1252'), encoding: 'windows-1252' };
    throw new ToolError(
      `${path} begins like ${encoding.toUpperCase()} but is not that throughout, so editing it here would damage it. Change it with Bash.`,
      { cause: error },
    );
  }
}

/** The text as it goes to disk, in the file's own encoding. @throws ToolError when that lacks a character. */
export function encodeText(
  path: string,
  text: string,
  { hasMark, isCrlf, encoding }: Pick<TextFile, 'hasMark' | 'isCrlf' | 'encoding'>,
): Buffer {
  return encoded(path, `${hasMark ? MARK : ''}${wellFormed(isCrlf ? toCrlf(text) : text)}`, encoding);
}

export function toCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}
