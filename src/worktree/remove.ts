import { processesIn } from '../host/workingFolders.js';
import { withLock as storeLock } from '../store/lock.js';
import { messageOf } from '../util/errors.js';
import { commitOf, type Git, git, type ListedWorktree, listWorktrees } from './git.js';
import { isLockedByOthers, letGo, livingHolder } from './hold.js';
import { removeByHook } from './hookMade.js';
import { isFolder, isWithin } from './inside.js';
import { inspectVanished, inspectWorktree, type WorktreeQuestion } from './inspect.js';
import { leaveNoFolder, mutexOf } from './place.js';
import { hasSubmodules } from './submodules.js';
import type { WorktreeUsers } from './users.js';
import type { WithLock, WorktreeHooks } from './worktree.js';

export interface RemovalRequest extends WorktreeQuestion {
  /** Another checkout of the repository, the main one as a rule. */
  readonly repo: string;
  readonly hooks?: WorktreeHooks | undefined;
  /** The agents of this process. */
  readonly users?: WorktreeUsers | undefined;
  /** Only when no living process holds it, its maker included. */
  readonly onlyAbandoned?: boolean | undefined;
  /** Whatever it holds goes with it: somebody has been told and wants that. */
  readonly discard?: boolean | undefined;
  readonly withLock?: WithLock | undefined;
}

export type Removal = { readonly removed: true } | { readonly removed: false; readonly why: readonly string[] };

/**
 * Removes a worktree that holds nothing, and its branch. Anything else is kept, with the reasons. Ignored files go with
 * it. Never the main checkout, and never one in which somebody works.
 */
export async function removeWorktree(request: RemovalRequest): Promise<Removal> {
  const { path, hookMade, repo, run, hooks, withLock = storeLock } = request;
  if (hookMade) {
    const busy = await workersIn(request);
    return removal(busy.length > 0 ? busy : await removeByHook(hooks?.remove, path));
  }
  const outside = git(run, repo);
  return withLock(await mutexOf(outside, repo), async () => {
    const listed = await listWorktrees(outside);
    const refused = [...(await refusals(request, listed)), ...(await workersIn(request))];
    if (refused.length > 0) return removal(refused);
    const entry = listed.find((worktree) => worktree.path === path);
    const why = request.discard ? [] : await holdings(outside, entry?.head, request);
    if (entry) await letGo(outside, entry);
    return removal(why.length > 0 ? why : await takeAway(outside, request, listed));
  });
}

async function holdings(outside: Git, head: string | undefined, request: RemovalRequest): Promise<readonly string[]> {
  const isThere = await isFolder(request.path);
  const { why } = isThere ? await inspectWorktree(request) : await inspectVanished(outside, head, request);
  return why;
}

const removal = (why: readonly string[]): Removal => (why.length === 0 ? { removed: true } : { removed: false, why });

async function refusals({ path, onlyAbandoned }: RemovalRequest, listed: readonly ListedWorktree[]): Promise<string[]> {
  const [main] = listed;
  if (main !== undefined && isWithin(main.path, path)) return [`${path} is the main checkout, or holds it`];
  const entry = listed.find((worktree) => worktree.path === path);
  if (entry === undefined) return (await isFolder(path)) ? [`${path} is no worktree of this repository`] : [];
  const nested = listed.find((worktree) => worktree.path !== path && isWithin(worktree.path, path));
  if (nested !== undefined) return [`it holds another worktree, ${nested.path}`];
  if (isLockedByOthers(entry)) return [`it is locked${entry.lock ? `: ${entry.lock}` : ''}`];
  const holder = onlyAbandoned ? await livingHolder(entry) : undefined;
  return holder === undefined ? [] : [`process ${holder} holds it`];
}

async function workersIn({ path, users }: RemovalRequest): Promise<string[]> {
  const agents = users?.in(path) ?? [];
  const processes = await processesIn(path);
  return [
    ...(agents.length === 0 ? [] : [`an agent works in it (${agents.join(', ')})`]),
    ...(processes.length === 0 ? [] : [`a process works in it (${processes.join(', ')})`]),
  ];
}

async function takeAway(
  outside: Git,
  { path, branch, discard = false }: RemovalRequest,
  listed: readonly ListedWorktree[],
): Promise<string[]> {
  const tip = await commitOf(outside, `refs/heads/${branch}`);
  if (listed.some((worktree) => worktree.path === path)) {
    // Git takes no checkout away in which a submodule could be, unless forced. This one was found to hold nothing, or nothing that is wanted.
    const force = discard || (await hasSubmodules(path)) ? ['--force'] : [];
    try {
      await outside('worktree', 'remove', ...force, path);
    } catch (error) {
      return [messageOf(error)];
    }
    await leaveNoFolder(path);
  }
  const isElsewhere = listed.some((worktree) => worktree.path !== path && worktree.branch === branch);
  // Only at the commit that was found to hold nothing.
  if (tip !== undefined && !isElsewhere) await outside('update-ref', '-d', `refs/heads/${branch}`, tip);
  return [];
}
