import { lstat, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Run } from '../host/run.js';
import { ExitCode, messageOf, UserError } from '../util/errors.js';
import { git, headOf, listed } from './git.js';

/** Files and folders that a merge is about to change, as they are before it. */
export interface Snapshot {
  readonly checkout: string;
  readonly commit: string;
  /** Files that are there. */
  readonly present: readonly string[];
  /** Files that are not, and the folders that are not there either, the inner first. */
  readonly absent: readonly string[];
  readonly absentFolders: readonly string[];
}

/** To be taken of a checkout that is clean. `paths` are those that may change, seen from its top. */
export async function snapshotOf(run: Run, checkout: string, paths: readonly string[]): Promise<Snapshot> {
  const { commit } = await headOf(git(run, checkout));
  const there = new Map<string, boolean>();
  const isThere = async (path: string) => {
    const known = there.get(path) ?? (await isPath(join(checkout, path)));
    there.set(path, known);
    return known;
  };
  const present: string[] = [];
  const absent: string[] = [];
  const absentFolders = new Set<string>();
  for (const path of paths) {
    ((await isThere(path)) ? present : absent).push(path);
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder))
      if (!(await isThere(folder))) absentFolders.add(folder);
  }
  return { checkout, commit, present, absent, absentFolders: [...absentFolders].sort((a, b) => b.length - a.length) };
}

/** Those of `paths` that would be written over something that git does not keep. */
export async function inTheWay(checkout: string, paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) if (await isPath(join(checkout, path))) found.push(path);
  return found;
}

/** Brings a checkout back to where it was, however far a merge has come: between two files it leaves no word of itself. */
export async function restoreCheckout(
  run: Run,
  { checkout, commit, present, absent, absentFolders }: Snapshot,
): Promise<void> {
  // Ends the merge in git's eyes, and leaves files alone.
  await git(run, checkout)('reset', '--quiet', commit);
  if (present.length > 0) {
    const options = { input: present.join('\0') };
    const list = ['--pathspec-from-file=-', '--pathspec-file-nul'];
    await git(run, checkout, options)('--literal-pathspecs', 'checkout', '--quiet', '--force', commit, ...list);
  }
  for (const path of absent) await rm(join(checkout, path), { force: true });
  for (const folder of absentFolders) await rmdir(join(checkout, folder)).catch(() => {});
}

/** Staged and changed files; those that git does not know are nobody's business. */
export async function dirtIn(run: Run, checkout: string): Promise<string[]> {
  const flags = ['--porcelain=v1', '-z', '--no-renames', '--untracked-files=no', '--ignore-submodules=dirty'];
  const entries = listed(await git(run, checkout)('--no-optional-locks', 'status', ...flags));
  return entries.map((entry) => entry.slice(3));
}

const UNDER_WAY = {
  MERGE_HEAD: 'merge',
  CHERRY_PICK_HEAD: 'cherry-pick',
  REVERT_HEAD: 'revert',
  'rebase-merge': 'rebase',
  'rebase-apply': 'rebase',
} as const;

/** What git is in the middle of there: `merge`, `rebase`, … */
export async function underWayIn(run: Run, checkout: string): Promise<string | undefined> {
  const folder = await git(run, checkout)('rev-parse', '--absolute-git-dir');
  for (const [name, what] of Object.entries(UNDER_WAY)) if (await isPath(join(folder, name))) return what;
  return undefined;
}

async function isPath(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** The same, tried again where a key that ends programs ended git too. @throws UserError that says how to do it by hand. */
export async function surelyRestore(run: Run, snapshot: Snapshot): Promise<void> {
  const TRIES = 3;
  for (let attempt = 1; ; attempt++) {
    try {
      return await restoreCheckout(run, snapshot);
    } catch (error) {
      if (attempt < TRIES) continue;
      throw new UserError(
        `${snapshot.checkout} could not be brought back to ${snapshot.commit}: ${messageOf(error)}. By hand, if it holds nothing else: git -C ${snapshot.checkout} reset --hard ${snapshot.commit}`,
        ExitCode.failed,
        { cause: error },
      );
    }
  }
}
