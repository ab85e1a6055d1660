import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { userHome } from '../../../config/env.js';
import { hasCode, ToolError } from '../../../util/errors.js';
import { head, nearest } from '../../../util/text.js';

// What Linux and macOS take, the latter a little less.
const LONGEST_PATH = 4095;
const LONGEST_NAME = 255;

/** A path as a model gives it, made absolute. @throws ToolError for what no file can be called. */
export function absolutePath(path: string, cwd: string): string {
  const absolute = path === '~' || path.startsWith('~/') ? join(userHome(), path.slice(1)) : resolve(cwd, path);
  const problem = path.includes('\0')
    ? 'it holds a NUL character'
    : Buffer.byteLength(absolute) > LONGEST_PATH
      ? `it has more than ${LONGEST_PATH} bytes`
      : absolute.split('/').some((name) => Buffer.byteLength(name) > LONGEST_NAME)
        ? `a name in it has more than ${LONGEST_NAME} bytes`
        : undefined;
  if (problem !== undefined)
    throw new ToolError(`${JSON.stringify(head(path, 200))} cannot be a path: ${problem}. Give a shorter, plain one.`);
  return absolute;
}

/** A path on a line of its own: quoted where it would not be one line, or is not what its bytes say. */
export function shownPath(path: string): string {
  return /[\x00-\x1f\x7f\ufffd]/.test(path) ? JSON.stringify(path) : path;
}

/** A sentence for the result when the path was not absolute; empty otherwise. */
export function resolvedNote(path: string, absolute: string): string {
  return isAbsolute(path) ? '' : `\n(${path} was taken as ${absolute})`;
}

/** Where a path leads once every link in it is followed; what does not exist yet stays as it is named. */
export function realPathOf(path: string, links = 40): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP') || path === dirname(path)) throw error;
    const folder = realPathOf(dirname(path), links);
    const target = links > 0 ? linkTarget(join(folder, basename(path))) : undefined;
    return target === undefined ? join(folder, basename(path)) : realPathOf(resolve(folder, target), links - 1);
  }
}

/** A link to nothing still decides where a file would be made. */
function linkTarget(path: string): string | undefined {
  try {
    return lstatSync(path).isSymbolicLink() ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}

/** A path as named and as it really is, for the judge. */
export function judgedPaths(absolute: string): string[] {
  return [...new Set([absolute, realPathOf(absolute)])];
}

/** Why there is nothing at a path, with the name that was most likely meant. */
export async function missingPath(path: string): Promise<string> {
  const target = linkTarget(path);
  if (target !== undefined) return `${path} is a link to ${target}, which leads nowhere.`;
  const folder = dirname(path);
  const entries = await readdir(folder).catch((error: unknown) => (hasCode(error, 'ENOTDIR') ? 'a file' : undefined));
  if (entries === 'a file') return `${path} does not exist: ${folder} is no folder.`;
  if (entries === undefined) return `${path} does not exist, nor does its folder.`;
  const near = nearest(basename(path), entries) ?? sameStem(basename(path), entries);
  return `${path} does not exist.${near === undefined ? '' : ` Did you mean ${join(folder, near)}?`}`;
}

function sameStem(name: string, entries: readonly string[]): string | undefined {
  const stem = (file: string) => file.replace(/(?<=.)\.[^.]*$/, '').toLowerCase();
  return entries.find((entry) => stem(entry) === stem(name));
}
