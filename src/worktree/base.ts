import { stat } from 'node:fs/promises';
import { type Clock, systemClock } from '../host/clock.js';
import type { Run } from '../host/run.js';
import { messageOf, UserError } from '../util/errors.js';
import { commitOf, type Git, git, gitPath, headOf } from './git.js';

/** `head`: what is checked out. `fresh`: the tip of `origin`'s default branch. */
export type BaseRef = 'head' | 'fresh';

export interface Start {
  readonly base: string;
  /** The branch that the work may be merged into; the commit on a detached HEAD. */
  readonly into: string;
}

const FETCHED_AGAIN_AFTER_MS = 24 * 60 * 60 * 1000;
const FETCH_TIMEOUT_MS = 5000;
/** In the order in which one of them is the default branch, where the remote has not said. */
const DEFAULT_BRANCHES = ['refs/remotes/origin/HEAD', 'refs/remotes/origin/main', 'refs/remotes/origin/master'];

/**
 * The commit that a worktree starts from. `fresh` in a repository without a remote is what is checked out.
 * @throws UserError in a repository without a commit.
 */
export async function startOf(run: Run, repo: string, baseRef: BaseRef, clock: Clock = systemClock): Promise<Start> {
  const here = git(run, repo);
  const head = await headOf(here).catch((error: unknown) => {
    throw new UserError(`${repo} has no commit that a worktree could start from: ${messageOf(error)}`);
  });
  const into = head.branch ?? head.commit;
  if (baseRef === 'head') return { base: head.commit, into };
  await fetchNowAndThen(run, repo, clock);
  return { base: (await defaultBranch(here)) ?? head.commit, into };
}

async function defaultBranch(git: Git): Promise<string | undefined> {
  for (const name of DEFAULT_BRANCHES) {
    const commit = await commitOf(git, name);
    if (commit !== undefined) return commit;
  }
  return undefined;
}

/** Without a network, what was fetched last is fresh enough: a worktree never fails for want of one. */
async function fetchNowAndThen(run: Run, repo: string, clock: Clock): Promise<void> {
  const fetched = await stat(await gitPath(git(run, repo), repo, 'FETCH_HEAD')).catch(() => undefined);
  if (fetched && clock.now() - fetched.mtimeMs < FETCHED_AGAIN_AFTER_MS) return;
  const limited: Run = (file, args, options) => run(file, args, { ...options, timeout: FETCH_TIMEOUT_MS });
  await git(limited, repo)('fetch', '--quiet', '--no-auto-maintenance', 'origin').catch(() => {});
}
