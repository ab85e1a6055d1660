import type { Run } from '../host/run.js';
import { messageOf } from '../util/errors.js';
import { commitOf, type Git, git, rootOf, statusOf } from './git.js';
import { hasSubmodules, unsharedCommits } from './submodules.js';
import type { Worktree } from './worktree.js';

export interface WorktreeQuestion extends Worktree {
  /** The branch or commit that it may have been merged into; any other branch, here or on a remote, when absent. */
  readonly into?: string | undefined;
  readonly run: Run;
}

export interface WorktreeState {
  /** Whether removing it could lose something. */
  readonly changed: boolean;
  /** What it holds, for a person. */
  readonly why: readonly string[];
  /** Commits past the base that `into` does not contain. */
  readonly commitsAhead: number;
}

/** What a worktree holds. A question that cannot be answered counts as a change. */
export async function inspectWorktree(question: WorktreeQuestion): Promise<WorktreeState> {
  const { path, run } = question;
  return answered(async () => {
    const inside = git(run, path);
    const root = await rootOf(inside);
    if (root !== path) throw new Error(`${path} is no checkout of its own, but a part of ${root}`);
    const { untracked, staged, modified } = await statusOf(inside);
    const unshared = (await hasSubmodules(path)) ? await unsharedCommits(inside) : 0;
    const facts: [number, string][] = [
      [untracked, 'untracked'],
      [staged, 'staged'],
      [modified, 'modified'],
    ];
    const files = facts.flatMap(([count, what]) => (count === 0 ? [] : [`${plural(count, 'file')} ${what}`]));
    const inSubmodules = unshared === 0 ? [] : [`${plural(unshared, 'commit')} in submodules that no remote has`];
    // Its HEAD counts beside its branch: work on a detached HEAD is on no branch.
    return stateOf([...files, ...inSubmodules], question, await countAhead(inside, ['HEAD'], question));
  });
}

/** The same for one whose folder is gone: `head` is the commit that git remembers for it. */
export async function inspectVanished(
  git: Git,
  head: string | undefined,
  question: WorktreeQuestion,
): Promise<WorktreeState> {
  return answered(async () => stateOf([], question, await countAhead(git, head === undefined ? [] : [head], question)));
}

async function answered(answer: () => Promise<WorktreeState>): Promise<WorktreeState> {
  try {
    return await answer();
  } catch (error) {
    return { changed: true, why: [`it could not be examined: ${messageOf(error)}`], commitsAhead: 0 };
  }
}

function stateOf(why: readonly string[], { into }: WorktreeQuestion, commitsAhead: number): WorktreeState {
  const where = into === undefined ? 'no other branch contains' : `${into} does not contain`;
  const all = commitsAhead === 0 ? why : [...why, `${plural(commitsAhead, 'commit')} that ${where}`];
  return { changed: all.length > 0, why: all, commitsAhead };
}

async function countAhead(
  git: Git,
  heads: readonly string[],
  { branch, base, into }: WorktreeQuestion,
): Promise<number> {
  const tip = await commitOf(git, `refs/heads/${branch}`);
  const tips = [...heads, ...(tip === undefined ? [] : [tip])];
  if (tips.length === 0) return 0;
  const safe = into === undefined ? [`--exclude=${branch}`, '--branches', '--remotes'] : [await targetOf(git, into)];
  return Number(await git('rev-list', '--count', ...tips, '--not', ...(base === '' ? [] : [base]), ...safe));
}

async function targetOf(git: Git, into: string): Promise<string> {
  const target = (await commitOf(git, `refs/heads/${into}`)) ?? (await commitOf(git, into));
  if (target === undefined) throw new Error(`there is no ${into} to compare with`);
  return target;
}

const plural = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
