import type { Run } from '../host/run.js';
import { ExitCode, UserError } from '../util/errors.js';
import { commitOf, type Git, git, listed, rootOf, succeeded } from './git.js';
import { isFolder } from './inside.js';
import { mainCheckoutOf } from './place.js';
import type { Worktree } from './worktree.js';

export interface FileChange {
  /** Seen from the top of the checkout. */
  readonly path: string;
  readonly how: 'added' | 'modified' | 'deleted' | 'retyped' | 'unmerged' | 'untracked';
}

export interface Commit {
  readonly commit: string;
  readonly subject: string;
}

/** What somebody has done in a worktree. */
export interface Work {
  readonly path: string;
  readonly branch: string;
  /** The main checkout of its repository. */
  readonly repo: string;
  /** The commit that it began from. */
  readonly base: string;
  /** The commit that it has come to. */
  readonly tip: string;
  /** Past the base, newest first. */
  readonly commits: readonly Commit[];
  readonly committed: readonly FileChange[];
  /** Against `tip`, files that git does not know included. */
  readonly uncommitted: readonly FileChange[];
  /** Its folder is there; else only its branch is left. */
  readonly isThere: boolean;
  /** Commits of its branch that are not in the history of `tip`, which is another branch then, or a detached HEAD. */
  readonly beside: number;
}

/** @throws UserError where a hook has made it, or where nothing of it is left. */
export async function workIn({ path, branch, base, hookMade }: Worktree, run: Run): Promise<Work> {
  if (hookMade)
    throw new UserError(
      `A WorktreeCreate hook made ${path}, so git is not asked about it. Look there by hand.`,
      ExitCode.failed,
    );
  const repo = mainCheckoutOf(path);
  if (!(await isFolder(repo))) throw new UserError(`The repository ${repo} of the worktree ${path} is gone.`);
  const outside = git(run, repo);
  const inside = git(run, path);
  const isThere = (await isFolder(path)) && (await succeeded(rootOf(inside))) === path;
  const [head, ofBranch] = await Promise.all([
    isThere ? commitOf(inside, 'HEAD') : undefined,
    commitOf(outside, `refs/heads/${branch}`),
  ]);
  const tip = head ?? ofBranch;
  if (tip === undefined)
    throw new UserError(
      `The worktree ${path} is gone, and so is its branch ${branch}: it was merged, or held nothing.`,
      ExitCode.failed,
    );
  const begun = await baseOf(outside, base, tip);
  const [commits, committed, uncommitted, beside] = await Promise.all([
    commitsBetween(outside, begun, tip),
    changesBetween(outside, begun, tip),
    isThere ? uncommittedIn(inside) : [],
    ofBranch === undefined ? '0' : outside('rev-list', '--count', ofBranch, '--not', tip),
  ]);
  return { path, branch, repo, base: begun, tip, commits, committed, uncommitted, isThere, beside: Number(beside) };
}

/** Where it began; after its history was written anew, what that still has in common with it or the main checkout. */
async function baseOf(outside: Git, recorded: string, tip: string): Promise<string> {
  for (const origin of [recorded, 'HEAD']) {
    if (origin === '') continue;
    const common = await succeeded(outside('merge-base', origin, tip));
    if (common !== undefined) return common;
  }
  throw new UserError(`Commit ${tip} has nothing in common with the main checkout.`, ExitCode.failed);
}

async function commitsBetween(git: Git, base: string, tip: string): Promise<Commit[]> {
  const log = await git('log', '-z', '--no-show-signature', '--format=%H %s', `${base}..${tip}`);
  return listed(log).map((line) => ({
    commit: line.slice(0, line.indexOf(' ')),
    subject: line.slice(line.indexOf(' ') + 1),
  }));
}

const HOW: Readonly<Record<string, FileChange['how']>> = {
  A: 'added',
  M: 'modified',
  D: 'deleted',
  T: 'retyped',
  U: 'unmerged',
};

/** The files that differ between two commits or trees. A renamed one is deleted and added. */
export async function changesBetween(git: Git, from: string, to: string): Promise<FileChange[]> {
  return changesOf(await git('diff', '--name-status', '-z', '--no-renames', '--no-ext-diff', from, to));
}

function changesOf(output: string): FileChange[] {
  const parts = listed(output);
  return parts.flatMap((letter, index) => {
    const path = parts[index + 1];
    return index % 2 === 1 || path === undefined ? [] : [{ path, how: HOW[letter] ?? 'modified' }];
  });
}

/** What the checkout has besides its commit. Ignored files do not count. */
async function uncommittedIn(inside: Git): Promise<FileChange[]> {
  const flags = ['--name-status', '-z', '--no-renames', '--no-ext-diff', '--ignore-submodules=none'];
  const [tracked, unknown] = await Promise.all([
    inside('--no-optional-locks', 'diff', ...flags, 'HEAD'),
    untrackedIn(inside),
  ]);
  return [...changesOf(tracked), ...unknown.map((path) => ({ path, how: 'untracked' as const }))];
}

/** Files that git does not know and does not ignore; of a repository inside of this one its folder, with a `/`. */
export async function untrackedIn(inside: Git): Promise<string[]> {
  return listed(await inside('ls-files', '--others', '--exclude-standard', '-z'));
}
