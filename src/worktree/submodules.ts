import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Git } from './git.js';

export async function hasSubmodules(checkout: string): Promise<boolean> {
  return stat(join(checkout, '.gitmodules')).then(
    () => true,
    () => false,
  );
}

/** Commits in the checkout's submodules that none of their remotes has: those go with the checkout. */
export async function unsharedCommits(inside: Git): Promise<number> {
  const count = 'git rev-list --count --all HEAD --not --remotes';
  const counts = await inside('submodule', '--quiet', 'foreach', '--recursive', count);
  return counts.split('\n').reduce((sum, line) => sum + Number(line), 0);
}
