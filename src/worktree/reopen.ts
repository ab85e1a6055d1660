import type { Run } from '../host/run.js';
import { withLock as storeLock } from '../store/lock.js';
import { ExitCode, UserError } from '../util/errors.js';
import { git, listWorktrees, rootOf } from './git.js';
import { hold, isLockedByOthers, letGo } from './hold.js';
import { isFolder } from './inside.js';
import { mutexOf } from './place.js';
import type { WithLock, Worktree } from './worktree.js';

/**
 * Comes back to a worktree: makes sure that it is there still, and holds it for this process.
 * @throws UserError that names it, where it is gone: whoever worked there must never go on in the main checkout.
 */
export async function reopenWorktree({
  worktree: { path, branch, hookMade },
  repo,
  run,
  withLock = storeLock,
}: {
  readonly worktree: Worktree;
  /** Another checkout of the repository, the main one as a rule. */
  readonly repo: string;
  readonly run: Run;
  readonly withLock?: WithLock | undefined;
}): Promise<void> {
  const gone = (why: string) =>
    new UserError(
      `The worktree ${path} cannot be gone on with: ${why}.${branch === '' ? '' : ` Its branch was ${branch}.`}`,
      ExitCode.unfinished,
    );
  if (!(await isFolder(path))) throw gone('it is not there any more');
  if (hookMade) return;
  const outside = git(run, repo);
  await withLock(await mutexOf(outside, repo), async () => {
    const entry = (await listWorktrees(outside)).find((listed) => listed.path === path);
    const root = await rootOf(git(run, path)).catch(() => undefined);
    if (entry === undefined || root !== path) throw gone('git does not know it as a worktree of this repository');
    if (isLockedByOthers(entry)) return;
    await letGo(outside, entry);
    await hold(outside, path);
  });
}
