import { realpath } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { Run, RunResult } from '../host/run.js';
import { UserError } from '../util/errors.js';
import { oneLine } from '../util/text.js';
import { git, rootOf } from './git.js';
import { isFolder, isWithin } from './inside.js';
import type { Worktree, WorktreeHooks, WorktreeRequest } from './worktree.js';

/** @throws UserError when the hook fails, or names a folder that is not apart from the checkout in which it is asked. */
export async function createByHook(
  create: NonNullable<WorktreeHooks['create']>,
  { repo, name, run }: Pick<WorktreeRequest, 'repo' | 'name' | 'run'>,
): Promise<Worktree & { readonly into: string }> {
  const fail = (why: string) => new UserError(`No worktree "${name}": the WorktreeCreate hook ${why}`);
  const result = await create({ name, cwd: repo });
  if (result.exitCode !== 0) throw fail(endOf(result));
  const printed = result.stdout.trim();
  if (!isAbsolute(printed) || !(await isFolder(printed)))
    throw fail(`must print the absolute path of a folder, and printed ${JSON.stringify(oneLine(printed))}.`);
  const path = await realpath(printed);
  const isApart = !isWithin(await realpath(repo), path) && (await isOtherCheckout(run, repo, path));
  if (!isApart) throw fail(`printed ${path}, which is a part of the checkout itself, or holds it.`);
  return { path, branch: '', base: '', into: '', hookMade: true };
}

/** Why it is still there, or nothing when the hook has taken it away. What it holds is for the hook to judge. */
export async function removeByHook(remove: WorktreeHooks['remove'], path: string): Promise<string[]> {
  if (!remove) return ['a WorktreeCreate hook made it, and there is no WorktreeRemove hook to take it away'];
  const result = await remove({ path });
  return result.exitCode === 0 ? [] : [`the WorktreeRemove hook ${endOf(result)}`];
}

async function isOtherCheckout(run: Run, repo: string, path: string): Promise<boolean> {
  const [ours, its] = await Promise.all([repo, path].map((folder) => rootOf(git(run, folder)).catch(() => undefined)));
  return its === undefined || its !== ours;
}

function endOf({ exitCode, stdout, stderr }: RunResult): string {
  const words = oneLine(stderr.trim() || stdout.trim(), 300);
  return `ended with ${exitCode}${words === '' ? '' : `: ${words}`}`;
}
