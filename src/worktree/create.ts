import { join } from 'node:path';
import type { Run } from '../host/run.js';
import { withLock as storeLock } from '../store/lock.js';
import { messageOf, UserError } from '../util/errors.js';
import { startOf } from './base.js';
import { linkFolders } from './folders.js';
import { commitOf, type Git, git, isContained, isRepository, listWorktrees, rootOf } from './git.js';
import { hold, letGo } from './hold.js';
import { createByHook } from './hookMade.js';
import { copyIncluded } from './include.js';
import { isFolder, isReallyWithin } from './inside.js';
import { branchOf, checkSlug, FOLDER, keepOutOfGit, mutexOf, projectRoot } from './place.js';
import type { Worktree, WorktreeRequest } from './worktree.js';

/**
 * A worktree `.claude/worktrees/<name>` on a new branch `troupe/<name>`, from the commit that is checked out in `repo`
 * (or what the setting says), locked until it is removed. `into` is the branch it may be merged into, or the commit on
 * a detached HEAD.
 * @throws UserError when there cannot be one; nothing is left behind then.
 */
export async function createWorktree(request: WorktreeRequest): Promise<Worktree & { readonly into: string }> {
  const { repo, name, run, settings = {}, hooks, withLock = storeLock } = request;
  checkSlug(name);
  if (hooks?.create) return createByHook(hooks.create, request);
  const here = git(run, repo);
  if (!(await isRepository(here))) {
    throw new UserError(
      `${repo} is not in a git repository, so it can have no worktree. Run "git init", or go without.`,
    );
  }
  const { base, into } = await startOf(run, repo, settings.baseRef ?? 'head', request.clock);
  const branch = branchOf(name);
  await here('check-ref-format', '--branch', branch).catch(() => {
    throw new UserError(`${JSON.stringify(name)} cannot name a worktree: git has no branch ${branch}.`);
  });
  return withLock(await mutexOf(here, repo), async () => {
    const root = await projectRoot(run, here);
    const path = join(root, FOLDER, name);
    if (!(await isReallyWithin(path, root)))
      throw new UserError(`No worktree at ${path}: a symbolic link there leads out of the project.`);
    await keepOutOfGit(here, repo, `/${FOLDER}/`);
    await makeRoom(here, path, branch, base);
    await undone(here, { path, branch, base }, async () => {
      await add(run, here, { path, branch, base }, settings.sparsePaths ?? []);
      await hold(here, path);
      await linkFolders(run, { from: root, to: path }, settings.symlinkDirectories ?? []);
      await copyIncluded(run, { from: await rootOf(here), to: path });
    });
    return { path, branch, base, into };
  });
}

async function add(
  run: Run,
  git: Git,
  { path, branch, base }: Worktree,
  sparsePaths: readonly string[],
): Promise<void> {
  const isSparse = sparsePaths.length > 0;
  const flags = ['--quiet', '--no-track', ...(isSparse ? ['--no-checkout'] : [])];
  await git('worktree', 'add', ...flags, '-b', branch, path, base);
  if (isSparse) await checkOutOnly(run, path, sparsePaths);
}

async function checkOutOnly(run: Run, path: string, folders: readonly string[]): Promise<void> {
  const inside = git(run, path);
  await inside('sparse-checkout', 'set', '--cone', ...folders);
  await inside('checkout', '--quiet');
}

/** Takes back what a creation that fails has made: a hook of git's that fails leaves a whole worktree, a full disk only the branch. */
async function undone(git: Git, { path, branch, base }: Worktree, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    await git('worktree', 'unlock', path).catch(() => {});
    // By force, for without its files it looks changed; nobody has worked in it yet.
    await git('worktree', 'remove', '--force', path).catch(() => {});
    await git('update-ref', '-d', `refs/heads/${branch}`, base).catch(() => {});
    throw new UserError(`No worktree at ${path}: ${messageOf(error)}`, undefined, { cause: error });
  }
}

/** Takes away what an earlier worktree of this name left, if that holds nothing. */
async function makeRoom(git: Git, path: string, branch: string, base: string): Promise<void> {
  const listed = await listWorktrees(git);
  const earlier = listed.find((worktree) => worktree.path === path);
  if (earlier !== undefined) {
    if (await isFolder(path)) {
      throw new UserError(
        `There is a worktree at ${path} already. Merge or remove it ("troupe worktrees"), or use another name.`,
      );
    }
    await letGo(git, earlier);
    await git('worktree', 'remove', path);
  }
  const tip = await commitOf(git, `refs/heads/${branch}`);
  if (tip === undefined) return;
  const isFree = !listed.some((worktree) => worktree.branch === branch && worktree !== earlier);
  if (!isFree || !(await isContained(git, tip, base))) {
    throw new UserError(
      `Branch ${branch} exists and holds commits of its own. Merge it and delete it ("git branch -d ${branch}"), or use another name.`,
    );
  }
  await git('update-ref', '-d', `refs/heads/${branch}`, tip);
}
