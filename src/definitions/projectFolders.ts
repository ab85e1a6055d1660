import { readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { hasCode } from '../util/errors.js';

export interface Project {
  /** The root of the repository (of the worktree, in a linked one); the directory itself outside of any. */
  readonly root: string;
  /** The main checkout, where `root` is a linked worktree; else `root`. */
  readonly mainRoot: string;
  /** From the directory up to `root`: what is nearest comes first. */
  readonly folders: readonly string[];
}

/** Where a project's own definitions and settings are looked for, seen from a directory inside it. */
export async function findProject(cwd: string): Promise<Project> {
  const start = resolve(cwd);
  const folders: string[] = [];
  for (let folder = start; ; folder = dirname(folder)) {
    folders.push(folder);
    const main = await mainRootOf(folder);
    if (main !== undefined) return { root: folder, mainRoot: main, folders };
    if (folder === dirname(folder)) return { root: start, mainRoot: start, folders: [start] };
  }
}

/** `undefined` where `folder` is not the root of a checkout. */
async function mainRootOf(folder: string): Promise<string | undefined> {
  const git = join(folder, '.git');
  try {
    if ((await stat(git)).isDirectory()) return folder;
    // gitrepository-layout(5): a linked worktree's .git is a file that points into the main one's .git/worktrees.
    const [, main] = /^gitdir: (.+)[\\/]\.git[\\/]worktrees[\\/][^\\/]+\s*$/.exec(await readFile(git, 'utf8')) ?? [];
    return main === undefined ? folder : resolve(folder, main);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'EACCES')) return undefined;
    throw error;
  }
}
