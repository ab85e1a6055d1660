import { basename, dirname, join } from 'node:path';
import type { Run } from '../host/run.js';
import { git, isRepository, type ListedWorktree, listWorktrees } from './git.js';
import { livingHolder } from './hold.js';
import { isFolder } from './inside.js';
import { inspectVanished, inspectWorktree } from './inspect.js';
import { branchOf, FOLDER, projectRoot } from './place.js';

/** A worktree of the kind that members get, whoever made it. */
export interface OwnKind {
  readonly path: string;
  readonly branch: string;
  /** The living process that holds it. */
  readonly holder?: number;
  /** What it holds that no other branch has, for a person. */
  readonly holds: readonly string[];
}

/** The main checkout of the repository that `folder` is in; nothing where there is none. */
export async function repositoryAt(folder: string, run: Run): Promise<string | undefined> {
  const here = git(run, folder);
  if (!(await isFolder(folder)) || !(await isRepository(here))) return undefined;
  return projectRoot(run, here);
}

/** Whether a worktree that git lists is of our kind: in our folder, on the branch of its name. */
export function isOwnKind({ path, branch }: ListedWorktree, root: string): boolean {
  const own = branchOf(basename(path));
  return dirname(path) === join(root, FOLDER) && (branch ?? own) === own;
}

/** Those of the repository whose main checkout is `root`. */
export async function listOwnKind(root: string, run: Run): Promise<OwnKind[]> {
  const here = git(run, root);
  const listed = await listWorktrees(here);
  const base = listed[0]?.head ?? '';
  return Promise.all(
    listed
      .filter((entry) => isOwnKind(entry, root))
      .map(async (entry) => {
        const { path, head } = entry;
        const question = { path, branch: branchOf(basename(path)), base, run };
        const { why } = (await isFolder(path))
          ? await inspectWorktree(question)
          : await inspectVanished(here, head, question);
        const holder = await livingHolder(entry);
        return { path, branch: question.branch, holds: why, ...(holder !== undefined && { holder }) };
      }),
  );
}
