import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import ignore from 'ignore';
import { hasCode, messageOf } from '../util/errors.js';
import { importsIn, withoutBlockComments } from './markdownText.js';

/** How far imports lead on from imports (facts.md §8). */
const MAX_HOPS = 4;
/** Bytes; nobody writes that much as instructions. */
const MAX_FILE_SIZE = 1_000_000;

export interface InstructionFile {
  /** Absolute, as found. */
  readonly path: string;
  /** Whose it is, in words. */
  readonly origin: string;
  readonly text: string;
}

/** How far a file is trusted that brings instructions. */
export interface Trusted {
  /** The only folders that it and its imports may lie in; from everywhere when absent. */
  readonly within?: readonly string[] | undefined;
  /** It cannot be excluded. */
  readonly always?: boolean;
}

export interface ReaderOptions {
  readonly userHome: string;
  /** Files that are left out, patterns over absolute paths (setting `claudeMdExcludes`). */
  readonly excludes: readonly string[];
  /** Checkouts of one project, the nearest first: a folder of it is the same in each. */
  readonly roots: readonly string[];
}

/** Reads instruction files with what they import: each file once, however many ways lead to it. */
export interface InstructionReader {
  /** The file and its imports, or nothing where there is none or it was read before. */
  read(path: string, origin: string, trusted: Trusted): Promise<InstructionFile[]>;
  /** From now on it counts as read. */
  know(path: string): Promise<void>;
  /** A line for each file that had to be left out; emptied by reading. */
  problems(): string[];
  problem(line: string): void;
}

export function createInstructionReader({ userHome, excludes, roots }: ReaderOptions): InstructionReader {
  const seen = new Set<string>();
  const texts = new Set<string>();
  let problems: string[] = [];
  const matcher = ignore().add(
    excludes.map((pattern) => (pattern.startsWith('~/') ? join(userHome, pattern.slice(2)) : pattern)),
  );
  const isExcluded = (path: string) => matcher.ignores(relative('/', path));

  async function read(path: string, origin: string, trusted: Trusted, hops: number): Promise<InstructionFile[]> {
    const { within, always } = trusted;
    if (!always && isExcluded(path)) return [];
    const real = await realpath(path).catch((error: unknown) => unlessMissing(path, error));
    if (real === undefined || seen.has(real)) return [];
    seen.add(real);
    if (within && !(await isInside(real, within))) {
      problems.push(`${path} lies outside of the project and is left out until that is trusted (troupe trust).`);
      return [];
    }
    const text = await textOf(path).catch((error: unknown) => unlessMissing(path, error));
    // The same words for one folder, from a worktree and its main checkout or by two names, are told once. For another
    // folder they say something else: what they import lies there.
    if (text === undefined || text === '') return [];
    const key = `${folderIn(roots, path)}\0${text}`;
    if (texts.has(key)) return [];
    texts.add(key);
    const imported: InstructionFile[] = [];
    for (const written of importsIn(text)) {
      const target = await importedPath(written, dirname(path));
      if (target === undefined) continue;
      if (hops >= MAX_HOPS && !seen.has(await realpath(target).catch(() => target)))
        problems.push(`${target} is left out: it is imported over more than ${MAX_HOPS} files.`);
      else if (hops < MAX_HOPS) imported.push(...(await read(target, `imported by ${path}`, trusted, hops + 1)));
    }
    return [{ path, origin, text }, ...imported];
  }

  function unlessMissing(path: string, error: unknown): undefined {
    if (!hasCode(error, 'ENOENT', 'ENOTDIR')) problems.push(`${path} is left out: ${messageOf(error)}`);
    return undefined;
  }

  /** The file that is meant: a point or a bracket behind it may be the sentence's. A word with an @ is no path. */
  async function importedPath(written: string, folder: string): Promise<string | undefined> {
    const place = (name: string) => (name.startsWith('~/') ? join(userHome, name.slice(2)) : resolve(folder, name));
    for (const name of [written, written.replace(/[.,;:!?)\]}'"]+$/, '')]) {
      if (name === '') continue;
      const path = place(name);
      if (await stat(path).catch((error: unknown) => !hasCode(error, 'ENOENT', 'ENOTDIR'))) return path;
    }
    if (/^(\.{1,2}\/|~\/|\/)|\.(md|txt)$/i.test(written))
      problems.push(`${place(written)} does not exist, and an instruction file in ${folder} imports it.`);
    return undefined;
  }

  return {
    read: (path, origin, trusted) => read(path, origin, trusted, 0),
    async know(path) {
      seen.add(await realpath(path).catch(() => path));
    },
    problems() {
      const told = problems;
      problems = [];
      return told;
    },
    problem: (line) => void problems.push(line),
  };
}

/** Of whoever works in the main checkout and looks into a worktree. */
const INSIDE_WORKTREE = /^\.claude\/worktrees\/[^/]+\/?/;

/** The folder that a file speaks of, named alike in each checkout. */
function folderIn(roots: readonly string[], path: string): string {
  const folder = dirname(path).replace(/\/\.claude$/, '');
  const root = roots.find((each) => folder === each || folder.startsWith(`${each}/`));
  return root === undefined ? folder : `./${relative(root, folder).replace(INSIDE_WORKTREE, '')}`;
}

async function isInside(real: string, folders: readonly string[]): Promise<boolean> {
  for (const folder of folders) {
    const base = await realpath(folder).catch(() => folder);
    if (real === base || real.startsWith(base === '/' ? base : `${base}/`)) return true;
  }
  return false;
}

/** @throws Error that says why it is no text. */
async function textOf(path: string): Promise<string> {
  const found = await stat(path);
  if (found.isDirectory()) throw new Error('it is a folder.');
  if (!found.isFile()) throw new Error('it is not a file.');
  if (found.size > MAX_FILE_SIZE) throw new Error(`it has ${found.size} bytes, more than ${MAX_FILE_SIZE}.`);
  const bytes = await readFile(path);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('it is not UTF-8 text.');
  }
  if (text.includes('\0')) throw new Error('it is not text.');
  return withoutBlockComments(text.replace(/\r\n?/g, '\n')).trim();
}
