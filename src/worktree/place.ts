import { appendFile, mkdir, readFile, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Run } from '../host/run.js';
import { hasCode, UserError } from '../util/errors.js';
import { commonFolder, type Git, git, gitPath, listWorktrees, rootOf } from './git.js';

/** Where worktrees go in a project. */
export const FOLDER = '.claude/worktrees';

/** The main checkout of a worktree of ours, which lies in `<checkout>/.claude/worktrees/<name>`. */
export function mainCheckoutOf(worktree: string): string {
  const end = worktree.indexOf(`/${FOLDER}/`);
  return end < 0 ? worktree : worktree.slice(0, end);
}

/** Longer than a member's name, for it may hold the team's too; git needs a few bytes more for its lock files. */
const MAX_BYTES = 200;

/** @throws UserError where `name` cannot be that of a folder and a branch. */
export function checkSlug(name: string): void {
  const isPlain = /^[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}._-]*$/u.test(name) && !name.includes('..');
  if (isPlain && Buffer.byteLength(name) <= MAX_BYTES) return;
  throw new UserError(
    `${JSON.stringify(name)} cannot name a worktree: only letters, digits, ".", "_" and "-", no ".." and at most ${MAX_BYTES} bytes.`,
  );
}

export const branchOf = (name: string) => `troupe/${name}`;

/** The folder of the project: that of the main checkout, so that one worktree never lies inside another. */
export async function projectRoot(run: Run, here: Git): Promise<string> {
  const [main] = await listWorktrees(here);
  // git lists a submodule's main checkout, and a bare repository, by a folder that is no checkout.
  const mainRoot = main && (await rootOf(git(run, main.path)).catch(() => undefined));
  return main !== undefined && mainRoot === main.path ? main.path : rootOf(here);
}

/** What everybody locks who adds or removes worktrees of this repository: git's own locks do not wait. */
export async function mutexOf(git: Git, cwd: string): Promise<string> {
  return join(await commonFolder(git, cwd), 'troupe-worktrees');
}

/** Takes our folders away with their last worktree; one that holds anything else stays. Under the repository's lock. */
export async function leaveNoFolder(worktree: string): Promise<void> {
  const folder = dirname(worktree);
  if (!folder.endsWith(`/${FOLDER}`)) return;
  for (const path of [folder, dirname(folder)]) await rmdir(path).catch(() => {});
}

/** Through the repository's own exclude file: the user's `.gitignore` is theirs. */
export async function keepOutOfGit(git: Git, cwd: string, rule: string): Promise<void> {
  const path = await gitPath(git, cwd, 'info/exclude');
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return '';
    throw error;
  });
  if (text.split(/\r?\n/).includes(rule)) return;
  await mkdir(dirname(path), { recursive: true });
  await appendFile(path, `${text === '' || text.endsWith('\n') ? '' : '\n'}${rule}\n`);
}
