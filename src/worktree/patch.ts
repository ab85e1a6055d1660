import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Run, TooMuchOutputError } from '../host/run.js';
import { ExitCode, UserError } from '../util/errors.js';
import { shellLine } from '../util/text.js';
import { type Git, git, gitPath, runGit } from './git.js';
import { untrackedIn, type Work } from './work.js';

/** What is told of a change: all of it, or a line for each file. */
export type PatchForm = 'patch' | 'stat';

export interface Patches {
  readonly committed: string;
  /** Files that git does not know yet are in it as new ones. */
  readonly uncommitted: string;
}

// A program of the user's own is for their eyes, and may wait for them; colours are for who prints it.
const FLAGS = ['diff', '--no-ext-diff', '--no-color'];

/** The work as git shows it, whatever is configured for terminals. `temporary` is a folder for files that go again. */
export async function patchesOf(
  run: Run,
  { path, repo, base, tip, isThere, uncommitted }: Work,
  { form, temporary }: { readonly form: PatchForm; readonly temporary: string },
): Promise<Patches> {
  const flags = [...FLAGS, ...(form === 'stat' ? ['--stat'] : [])];
  const committed = await inBounds(git(run, repo)(...flags, base, tip), ['-C', repo, 'diff', base, tip]);
  if (!isThere || uncommitted.length === 0) return { committed, uncommitted: '' };
  const open = withUntracked(run, path, temporary, (inside) => inside(...flags, 'HEAD'));
  return { committed, uncommitted: await inBounds(open, ['-C', path, 'diff', 'HEAD']) };
}

/** @throws UserError that names git's own command, where there is more than is kept of it. */
async function inBounds(patch: Promise<string>, command: readonly [string, string, ...string[]]): Promise<string> {
  try {
    return await patch;
  } catch (error) {
    if (!(error instanceof TooMuchOutputError)) throw error;
    throw new UserError(
      `The patch of ${command[1]} is larger than 64 MB. A line for each file: --stat. All of it: ${shellLine(['git', ...command])}`,
      ExitCode.failed,
      { cause: error },
    );
  }
}

/** Looks at a checkout through a copy of its index in which the files that git does not know are named. */
async function withUntracked<T>(
  run: Run,
  path: string,
  temporary: string,
  look: (inside: Git) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(temporary, 'troupe-diff-'));
  try {
    const inside = git(run, path);
    const index = join(folder, 'index');
    await copyFile(await gitPath(inside, path, 'index'), index);
    // A repository inside of this one would be taken for a submodule.
    const files = (await untrackedIn(inside)).filter((file) => !file.endsWith('/'));
    const options = { variables: { GIT_INDEX_FILE: index }, input: files.join('\0') };
    const add = ['--literal-pathspecs', 'add', '--intent-to-add'];
    const list = ['--pathspec-from-file=-', '--pathspec-file-nul'];
    if (files.length > 0) {
      const { exitCode } = await runGit(run, path, [...add, '--sparse', ...list], options);
      // Before 2.34 git did not know the flag, and added outside of a sparse checkout without it.
      if (exitCode !== 0) await git(run, path, options)(...add, ...list);
    }
    return await look(git(run, path, { variables: { GIT_INDEX_FILE: index } }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
