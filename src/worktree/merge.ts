import { runInGroup } from '../host/group.js';
import type { Run } from '../host/run.js';
import { messageOf } from '../util/errors.js';
import { dirtIn, inTheWay, type Snapshot, snapshotOf, surelyRestore, underWayIn } from './checkout.js';
import { GitError, git, type Head, headOf, listed, runGit, succeeded } from './git.js';
import { isWithin } from './inside.js';
import { changesBetween, type FileChange, type Work } from './work.js';

/** What a merge of some work into a checkout would do. */
export interface Forecast {
  readonly into: Head;
  /** What the checkout would get. */
  readonly changes: readonly FileChange[];
  /** Nothing would come of it: the checkout has all of it. */
  readonly isContained: boolean;
  /** Files that both sides changed in ways that do not fit; unknown before git 2.38. */
  readonly conflicts: readonly string[] | undefined;
  /** What hinders it in the checkout, for a person. */
  readonly hindrances: readonly string[];
  /** Commits that would come along and are not of this work: it began from where the checkout has not come to. */
  readonly foreign: number;
}

export interface MergeQuestion {
  readonly run: Run;
  /** The top folder of the checkout that is to get it. */
  readonly checkout: string;
  readonly work: Pick<Work, 'tip' | 'base'>;
  /** Its commits become one, and are not remembered as merged. */
  readonly squash: boolean;
}

/** Changes nothing. @throws GitError where the two cannot be merged at all. */
export async function forecastMerge({ run, checkout, work: { tip, base }, squash }: MergeQuestion): Promise<Forecast> {
  const here = git(run, checkout);
  const [into, { tree, conflicts }, common, ahead, underWay, dirt, foreign] = await Promise.all([
    headOf(here),
    merged(run, checkout, tip),
    succeeded(here('merge-base', 'HEAD', tip)),
    here('rev-list', '--count', tip, '--not', 'HEAD'),
    underWayIn(run, checkout),
    dirtIn(run, checkout),
    here('rev-list', '--count', base, '--not', 'HEAD'),
  ]);
  const changes = await (tree === undefined
    ? changesBetween(here, common ?? 'HEAD', tip)
    : changesBetween(here, 'HEAD', tree));
  const isDone = ahead === '0' || (squash && tree !== undefined && changes.length === 0);
  const added = changes.flatMap(({ path, how }) => (how === 'added' ? [path] : []));
  const covered = conflicts?.length ? [] : await coveredBy(run, checkout, added);
  return {
    into,
    changes,
    isContained: isDone,
    conflicts,
    hindrances: [
      ...(underWay
        ? [`A ${underWay} is under way in ${checkout}: end it first (git ${underWay} --continue or --abort).`]
        : []),
      ...(dirt.length > 0 ? [`${checkout} has changes of its own: ${named(dirt)}. Commit or stash them first.`] : []),
      ...(covered.length > 0
        ? [`Files that git does not know are in the way in ${checkout}: ${named(covered)}. Move them first.`]
        : []),
    ],
    foreign: Number(foreign),
  };
}

async function coveredBy(run: Run, checkout: string, added: readonly string[]): Promise<string[]> {
  const there = await inTheWay(checkout, added);
  if (there.length === 0) return [];
  const tracked = listed(await git(run, checkout)('ls-files', '-z'));
  return there.filter((path) => !tracked.some((file) => isWithin(file, path)));
}

/** The tree that a merge leads to, and the files that it cannot settle. Both unknown before git 2.38. */
async function merged(run: Run, checkout: string, tip: string) {
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', 'HEAD', tip];
  const result = await runGit(run, checkout, args);
  const [tree, ...files] = listed(result.stdout);
  if (tree !== undefined && result.exitCode <= 1)
    return { tree: result.exitCode === 0 ? tree : undefined, conflicts: [...new Set(files)] };
  // 129: it does not know the flag (git's code for wrong usage).
  if (result.exitCode === 129) return { tree: undefined, conflicts: undefined };
  throw new GitError(args, result);
}

/** How a merge has ended. */
export type MergeEnd =
  | { readonly commit: string; readonly said: string }
  /** It was undone, and the checkout is as it was. */
  | { readonly conflicts: readonly string[] }
  | { readonly failure: string };

/**
 * Merges, as one commit of its own that is never a mere step forward. The repository's hooks run. Unless it comes to
 * its end, and also where `signal` stops it, the checkout is as it was before.
 */
export async function mergeWork(
  { run, checkout, work: { tip }, squash }: MergeQuestion,
  { changes, message, signal }: { changes: readonly FileChange[]; message: string; signal: AbortSignal },
): Promise<MergeEnd> {
  const snapshot = await snapshotOf(
    run,
    checkout,
    changes.map(({ path }) => path),
  );
  // What it starts, hooks above all, is not to go on with a checkout that is brought back.
  const here = git(runInGroup, checkout, { signal });
  const flags = ['--quiet', '--no-edit', '--no-ff', '--no-squash', '--commit', '-m', message];
  try {
    // Whatever the user has set for merges (merge.ff, branch.*.mergeOptions), the flags say otherwise.
    const said = squash
      ? [await here('merge', '--quiet', '--ff', '--squash', tip), await here('commit', '--quiet', '-m', message)]
      : [await here('merge', ...flags, tip)];
    return { commit: (await headOf(git(run, checkout))).commit, said: said.join('\n').trim() };
  } catch (error) {
    const failure = messageOf(error);
    const { commit } = await headOf(git(run, checkout));
    if (commit !== snapshot.commit) {
      if (await isOurs(run, snapshot, commit, squash ? [] : [tip])) return { commit, said: '' };
      return { failure: `${failure} And ${checkout} has come to ${commit} meanwhile: look there before you go on.` };
    }
    const conflicts = await unmergedIn(run, checkout);
    const known = new Set([...snapshot.present, ...snapshot.absent]);
    // Git gives a file another name where a folder has taken its own.
    const renamed = conflicts.filter((path) => !known.has(path));
    await surelyRestore(run, { ...snapshot, absent: [...snapshot.absent, ...renamed] });
    return conflicts.length > 0 && !signal.aborted ? { conflicts } : { failure };
  }
}

/** Whether a commit has come of this merge before something went wrong. */
async function isOurs(
  run: Run,
  { checkout, commit }: Snapshot,
  head: string,
  merged: readonly string[],
): Promise<boolean> {
  const parents = await git(run, checkout)('show', '--no-patch', '--no-show-signature', '--format=%P', head);
  return parents === [commit, ...merged].join(' ');
}

async function unmergedIn(run: Run, checkout: string): Promise<string[]> {
  const args = ['diff', '--name-only', '-z', '--diff-filter=U', '--no-ext-diff'];
  const result = await runGit(run, checkout, args);
  return [...new Set(listed(result.stdout))];
}

/** The files in which a worktree differs from what it has in common with `commit`, committed or not. */
export async function changedSince(run: Run, { repo, tip, uncommitted }: Work, commit: string): Promise<Set<string>> {
  const outside = git(run, repo);
  const changes = await changesBetween(outside, await outside('merge-base', commit, tip), tip);
  return new Set([...changes, ...uncommitted].map(({ path }) => path));
}

const MOST_NAMED = 20;

/** Some of `paths`, and how many more there are. */
export function named(paths: readonly string[]): string {
  const more = paths.length - MOST_NAMED;
  return `${paths.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
