import { basename } from 'node:path';
import type { Run } from '../host/run.js';
import { git, isRepository, listWorktrees } from './git.js';
import { isOwnKind } from './ours.js';
import { branchOf, projectRoot } from './place.js';
import { removeWorktree } from './remove.js';
import type { WithLock } from './worktree.js';

/**
 * Removes the worktrees that earlier runs left here and that provably hold nothing: no living process holds one, and
 * every commit of its branch is on another one too. Returns their paths.
 */
export async function pruneStale({
  repo,
  run,
  isNeeded,
  withLock,
}: {
  readonly repo: string;
  readonly run: Run;
  /** Whether somebody may come back to it, as the members of a stopped team do. */
  readonly isNeeded: (path: string) => boolean;
  readonly withLock?: WithLock | undefined;
}): Promise<string[]> {
  const here = git(run, repo);
  if (!(await isRepository(here))) return [];
  const listed = await listWorktrees(here);
  const root = await projectRoot(run, here);
  const removed: string[] = [];
  for (const entry of listed) {
    const { path } = entry;
    if (!isOwnKind(entry, root) || isNeeded(path)) continue;
    const branch = branchOf(basename(path));
    const base = listed[0]?.head ?? '';
    const result = await removeWorktree({ path, branch, base, repo, run, onlyAbandoned: true, withLock });
    if (result.removed) removed.push(path);
  }
  return removed;
}
