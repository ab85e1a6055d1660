import { isAlive, type ProcessRef, thisProcess } from '../host/processes.js';
import type { Git, ListedWorktree } from './git.js';

/** Marks a worktree as in use by this process: git neither prunes nor removes it then. */
export async function hold(git: Git, path: string): Promise<void> {
  const { pid, procStart } = await thisProcess();
  await git('worktree', 'lock', '--reason', `in use by troupe, process ${pid} (${procStart})`, path);
}

/** Ends that. */
export async function letGo(git: Git, { path, lock }: ListedWorktree): Promise<void> {
  if (lock !== undefined) await git('worktree', 'unlock', path);
}

/** Whether somebody else than a troupe has locked it. */
export function isLockedByOthers({ lock }: ListedWorktree): boolean {
  return lock !== undefined && holderOf(lock) === undefined;
}

/** The living process that holds it. */
export async function livingHolder({ lock }: ListedWorktree): Promise<number | undefined> {
  const holder = lock === undefined ? undefined : holderOf(lock);
  return holder && (await isAlive(holder)) ? holder.pid : undefined;
}

function holderOf(lock: string): ProcessRef | undefined {
  const [, pid, procStart] = /^in use by troupe, process (\d+) \((.+)\)$/.exec(lock) ?? [];
  return procStart === undefined ? undefined : { pid: Number(pid), procStart };
}
