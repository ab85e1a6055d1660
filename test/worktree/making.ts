import { run, start } from '../../src/host/run.js';
import { createWorktree } from '../../src/worktree/create.js';
import { inspectWorktree } from '../../src/worktree/inspect.js';
import { type RemovalRequest, removeWorktree } from '../../src/worktree/remove.js';
import type { Worktree, WorktreeRequest } from '../../src/worktree/worktree.js';
import type { GitRepo } from '../helpers/gitRepo.js';

export type Made = Worktree & { readonly into: string };

export const create = (repo: string, name = 'alice', more: Partial<WorktreeRequest> = {}) =>
  createWorktree({ repo, name, run, ...more });
export const inspect = (made: Made) => inspectWorktree({ ...made, run });
export const remove = (repo: GitRepo, made: Made, more: Partial<RemovalRequest> = {}) =>
  removeWorktree({ ...made, repo: repo.path, run, ...more });
export const branches = async (repo: GitRepo) =>
  (await repo.git('for-each-ref', '--format=%(refname:short)', 'refs/heads')).split('\n');

/** A process that works in `cwd` until it is ended, at the latest with the test. */
export async function workerIn(cwd: string) {
  const child = await start('sleep', ['60'], { cwd });
  let isOver = false;
  const end = async () => {
    if (!isOver) process.kill(child.pid);
    isOver = true;
    await child.exited;
  };
  return { pid: child.pid, end, [Symbol.asyncDispose]: end };
}
