import { lstat, mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Run } from '../host/run.js';
import { git, ignoredAmong } from './git.js';
import { isFolder, isReallyWithin } from './inside.js';
import { keepOutOfGit } from './place.js';

/** Links folders of the main checkout into a worktree: only those that exist, and never over something. */
export async function linkFolders(
  run: Run,
  { from, to }: { readonly from: string; readonly to: string },
  folders: readonly string[],
): Promise<void> {
  for (const folder of folders) {
    const [source, link] = [join(from, folder), join(to, folder)];
    if (!(await isFolder(source)) || (await isTaken(link)) || !(await isReallyWithin(dirname(link), to))) continue;
    await mkdir(dirname(link), { recursive: true });
    await symlink(source, link);
    // "node_modules/" ignores the folder and not a link of that name, which would be committed by the next "git add".
    const isIgnored = (await ignoredAmong(run, from, [folder])).length > 0;
    const isIgnoredAsLink = (await ignoredAmong(run, to, [folder])).length > 0;
    if (isIgnored && !isIgnoredAsLink) await keepOutOfGit(git(run, to), to, literalRule(folder));
  }
}

async function isTaken(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** A line of an exclude file that means exactly this path (gitignore(5)). */
function literalRule(path: string): string {
  return `/${path.replace(/\/+$/, '').replace(/[\\*?[\] ]/g, '\\$&')}`;
}
