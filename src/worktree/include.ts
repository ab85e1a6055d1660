import { constants, copyFile, mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Run } from '../host/run.js';
import { hasCode } from '../util/errors.js';
import { git, ignoredAmong } from './git.js';
import { isReallyWithin } from './inside.js';

/** What a fresh checkout lacks and a project needs, `.env` for one: patterns as in a `.gitignore`. */
const LIST = '.worktreeinclude';

/**
 * Copies the ignored files that `.worktreeinclude` names, with their modes and never over something. Git itself matches
 * the patterns. A file that the worktree would not ignore stays away: it would end up in a commit.
 */
export async function copyIncluded(
  run: Run,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  const list = join(from, LIST);
  if (!(await isFile(list))) return;
  const matching = await git(run, from)('ls-files', '-z', '--others', '--ignored', `--exclude-from=${list}`);
  const files = matching.split('\0').filter((file) => file !== '' && !file.endsWith('/'));
  const inside: string[] = [];
  for (const file of await ignoredAmong(run, from, files))
    if ((await isReallyWithin(join(from, file), from)) && (await isReallyWithin(join(to, file), to))) inside.push(file);
  for (const file of await ignoredAmong(run, to, inside))
    if (await isFile(join(from, file))) await copyNew(join(from, file), join(to, file));
}

async function copyNew(source: string, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  await copyFile(source, target, constants.COPYFILE_EXCL).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error;
  });
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
