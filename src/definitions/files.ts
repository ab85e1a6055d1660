import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, messageOf } from '../util/errors.js';
import { FileProblem } from './frontmatter.js';

/** Bytes; nothing that a person wrote as an agent is near it. */
const MAX_FILE_SIZE = 1_000_000;

export interface SkippedFile {
  readonly file: string;
  readonly line?: number;
  readonly reason: string;
}

/** Markdown files in a folder and all below it, in a stable order. A loop of symbolic links is walked once. */
export async function markdownFiles(folder: string, seen = new Set<string>()): Promise<string[]> {
  const files: string[] = [];
  let real: string;
  let names: string[];
  try {
    real = await realpath(folder);
    names = seen.has(real) ? [] : await readdir(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP')) return [];
    throw error;
  }
  seen.add(real);
  for (const name of names.sort()) {
    const path = join(folder, name);
    const isFolder = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (isFolder) files.push(...(await markdownFiles(path, seen)));
    else if (name.endsWith('.md')) files.push(path);
  }
  return files;
}

/** A file of definitions, of at most so many bytes. @throws Error that says why it cannot be read. */
export async function readDefinition(file: string, most = MAX_FILE_SIZE): Promise<string> {
  const found = await stat(file);
  if (!found.isFile()) throw new Error('it is not a file');
  if (found.size > most) throw new Error(`it has ${found.size} bytes, more than ${most}`);
  return readFile(file, 'utf8');
}

/**
 * Of a project that is not trusted: a link of its may lead to what nobody has allowed to be read.
 * @throws Error for a file that lies in none of these folders.
 */
export async function requireInside(file: string, roots: readonly string[]): Promise<void> {
  const real = await realpath(file);
  const bases = await Promise.all(roots.map((root) => realpath(root)));
  if (!bases.some((base) => real.startsWith(`${base}/`)))
    throw new Error('it lies outside of the project and does not count until that is trusted (troupe trust)');
}

/** Why a file of definitions was left out. */
export function skippedBecause(file: string, error: unknown): SkippedFile {
  return error instanceof FileProblem
    ? { file, line: error.line, reason: error.reason }
    : { file, reason: messageOf(error) };
}
