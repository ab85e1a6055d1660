import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Run } from '../../host/run.js';
import { git } from '../../worktree/git.js';
import { type DemoProject, demoProject } from './demoProject.js';

/** What the demo's team is asked for. */
export const DEMO_PROMPT =
  'A test of this project fails, and ISSUE.md says why. Mend what is broken, and nothing else.';

export interface DemoRepository extends Omit<DemoProject, 'files'> {
  /** Absolute and real. */
  readonly path: string;
}

export interface DemoRepositoryOptions {
  /** Where it is made: a folder that is empty, or not there yet. */
  readonly folder: string;
  /** Which function is wrong, and how. Any integer. */
  readonly seed: number;
  readonly run: Run;
}

/** Makes a small JavaScript project under git, with one commit, in which one test fails. @throws GitError */
export async function makeDemoRepository({ folder, seed, run }: DemoRepositoryOptions): Promise<DemoRepository> {
  const { files, ...bug } = demoProject(seed);
  await mkdir(folder, { recursive: true });
  const path = await realpath(folder);
  for (const [name, text] of Object.entries(files)) {
    const file = join(path, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  const inside = git(run, path);
  await inside('init', '--quiet', '--initial-branch=main', '--template=');
  for (const [key, value] of Object.entries(CONFIG)) await inside('config', key, value);
  await inside('add', '--all');
  await inside('commit', '--quiet', '-m', 'The shop as it is');
  return { path, ...bug };
}

/** Kept in the repository, so that nothing of the user's own git runs in it or is needed. */
const CONFIG: Readonly<Record<string, string>> = {
  'user.name': 'Corner Shop',
  'user.email': 'shop@example.invalid',
  'commit.gpgsign': 'false',
  'core.hooksPath': '/dev/null',
  'core.autocrlf': 'false',
};
