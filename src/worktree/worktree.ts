import { appendFile, mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import type { Run } from '../host/run.js';
import { processesIn } from '../host/workingFolders.js';
import { withLock as storeLock } from '../store/lock.js';
import { hasCode, messageOf, UserError } from '../util/errors.js';
import {
  branchExists,
  commitOf,
  type Git,
  git,
  gitPath,
  headOf,
  isContained,
  isRepository,
  type ListedWorktree,
  listWorktrees,
  rootOf,
  statusOf,
} from './git.js';

/** Where worktrees go in a project. */
const FOLDER = '.claude/worktrees';

export interface Worktree {
  /** Absolute. */
  readonly path: string;
  readonly branch: string;
  /** The commit it started from. */
  readonly base: string;
}

export type WithLock = <T>(path: string, work: () => Promise<T>) => Promise<T>;

/**
 * A worktree `.claude/worktrees/<name>` on a new branch `troupe/<name>`, from the commit that is checked out in `repo`,
 * locked until it is removed. `into` is the branch it may be merged into, or the commit on a detached HEAD.
 * @throws UserError when there cannot be one; nothing is left behind then.
 */
export async function createWorktree(given: {
  /** Any folder of any checkout of the repository. */
  readonly repo: string;
  readonly name: string;
  readonly run: Run;
  readonly withLock?: WithLock;
}): Promise<Worktree & { readonly into: string }> {
  const { repo, name, run, withLock = storeLock } = given;
  checkSlug(name);
  const here = git(run, repo);
  if (!(await isRepository(here))) {
    throw new UserError(
      `${repo} is not in a git repository, so it can have no worktree. Run "git init", or go without.`,
    );
  }
  const head = await headOf(here).catch((error: unknown) => {
    throw new UserError(`${repo} has no commit that a worktree could start from: ${messageOf(error)}`);
  });
  const branch = `troupe/${name}`;
  await here('check-ref-format', '--branch', branch).catch(() => {
    throw new UserError(`${JSON.stringify(name)} cannot name a worktree: git has no branch ${branch}.`);
  });
  return withLock(await mutexOf(here, repo), async () => {
    const root = await projectRoot(run, here);
    const path = join(root, FOLDER, name);
    await keepOutOfGit(here, repo);
    await makeRoom(here, path, branch, head.commit);
    await add(here, path, branch, head.commit);
    return { path, branch, base: head.commit, into: head.branch ?? head.commit };
  });
}

/** Longer than a member's name, for it may hold the team's too; git needs a few bytes more for its lock files. */
const MAX_BYTES = 200;

function checkSlug(name: string): void {
  const isPlain = /^[\p{L}\p{M}\p{N}_][\p{L}\p{M}\p{N}._-]*$/u.test(name) && !name.includes('..');
  if (isPlain && Buffer.byteLength(name) <= MAX_BYTES) return;
  throw new UserError(
    `${JSON.stringify(name)} cannot name a worktree: only letters, digits, ".", "_" and "-", no ".." and at most ${MAX_BYTES} bytes.`,
  );
}

async function add(git: Git, path: string, branch: string, base: string): Promise<void> {
  try {
    await git('worktree', 'add', '--quiet', '--no-track', '-b', branch, path, base);
    await git('worktree', 'lock', '--reason', 'a troupe member works here', path);
  } catch (error) {
    // A hook that fails leaves a whole worktree, a full disk only the branch.
    await git('worktree', 'remove', path).catch(() => {});
    await git('update-ref', '-d', `refs/heads/${branch}`, base).catch(() => {});
    throw new UserError(`No worktree at ${path}: ${messageOf(error)}`, undefined, { cause: error });
  }
}

/** Takes away what an earlier worktree of this name left, if that holds nothing. */
async function makeRoom(git: Git, path: string, branch: string, head: string): Promise<void> {
  const listed = await listWorktrees(git);
  const earlier = listed.find((worktree) => worktree.path === path);
  if (earlier !== undefined) {
    if (await isFolder(path)) {
      throw new UserError(
        `There is a worktree at ${path} already. Merge or remove it ("troupe worktrees"), or use another name.`,
      );
    }
    if (earlier.isLocked) await git('worktree', 'unlock', path);
    await git('worktree', 'remove', path);
  }
  const tip = await commitOf(git, `refs/heads/${branch}`);
  if (tip === undefined) return;
  const isFree = !listed.some((worktree) => worktree.branch === branch && worktree !== earlier);
  if (!isFree || !(await isContained(git, tip, head))) {
    throw new UserError(
      `Branch ${branch} exists and holds commits of its own. Merge it and delete it ("git branch -d ${branch}"), or use another name.`,
    );
  }
  await git('update-ref', '-d', `refs/heads/${branch}`, tip);
}

export interface WorktreeQuestion extends Worktree {
  /** The branch or commit that it may have been merged into. */
  readonly into: string;
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
export async function inspectWorktree({ path, branch, base, into, run }: WorktreeQuestion): Promise<WorktreeState> {
  try {
    const inside = git(run, path);
    const root = await rootOf(inside);
    if (root !== path) throw new Error(`${path} is no checkout of its own, but a part of ${root}`);
    const { untracked, staged, modified } = await statusOf(inside);
    const commitsAhead = await countAhead(inside, { branch, base, into });
    const facts: [number, string][] = [
      [untracked, 'untracked'],
      [staged, 'staged'],
      [modified, 'modified'],
    ];
    const why = facts.flatMap(([count, what]) => (count === 0 ? [] : [`${plural(count, 'file')} ${what}`]));
    if (commitsAhead > 0) why.push(`${plural(commitsAhead, 'commit')} that ${into} does not contain`);
    return { changed: why.length > 0, why, commitsAhead };
  } catch (error) {
    return { changed: true, why: [`it could not be examined: ${messageOf(error)}`], commitsAhead: 0 };
  }
}

/** Its HEAD counts beside its branch: work on a detached HEAD is on no branch. */
async function countAhead(
  git: Git,
  { branch, base, into }: Pick<WorktreeQuestion, 'branch' | 'base' | 'into'>,
): Promise<number> {
  const tips = ['HEAD', ...((await branchExists(git, branch)) ? [`refs/heads/${branch}`] : [])];
  const target = (await commitOf(git, `refs/heads/${into}`)) ?? (await commitOf(git, into));
  if (target === undefined) throw new Error(`there is no ${into} to compare with`);
  return Number(await git('rev-list', '--count', ...tips, '--not', base, target));
}

/**
 * Removes a worktree that holds nothing, and its branch. Anything else is kept, with the reasons.
 * Ignored files go with it. Never the main checkout, never one in which a process works, never by force.
 */
export async function removeWorktree(
  question: WorktreeQuestion & {
    /** Another checkout of the repository, the main one as a rule. */
    readonly repo: string;
    readonly withLock?: WithLock;
  },
): Promise<{ readonly removed: true } | { readonly removed: false; readonly why: readonly string[] }> {
  const { path, branch, repo, run, withLock = storeLock } = question;
  const outside = git(run, repo);
  return withLock(await mutexOf(outside, repo), async () => {
    const listed = await listWorktrees(outside);
    const why = await refusals(path, listed);
    if (why.length === 0) why.push(...(await inspectWorktree(question)).why);
    if (why.length > 0) return { removed: false, why };
    const tip = await commitOf(outside, `refs/heads/${branch}`);
    const isLocked = listed.some((worktree) => worktree.path === path && worktree.isLocked);
    if (isLocked) await outside('worktree', 'unlock', path);
    try {
      await outside('worktree', 'remove', path);
    } catch (error) {
      return { removed: false, why: [messageOf(error)] };
    }
    const isElsewhere = listed.some((worktree) => worktree.path !== path && worktree.branch === branch);
    // Only at the commit that was found to hold nothing.
    if (tip !== undefined && !isElsewhere) await outside('update-ref', '-d', `refs/heads/${branch}`, tip);
    return { removed: true };
  });
}

async function refusals(path: string, listed: readonly ListedWorktree[]): Promise<string[]> {
  const [main] = listed;
  if (main !== undefined && isWithin(main.path, path)) return [`${path} is the main checkout, or holds it`];
  if (!listed.some((worktree) => worktree.path === path)) return [`${path} is no worktree of this repository`];
  const nested = listed.find((worktree) => worktree.path !== path && isWithin(worktree.path, path));
  if (nested !== undefined) return [`it holds another worktree, ${nested.path}`];
  const processes = await processesIn(path);
  return processes.length === 0 ? [] : [`a process works in it (${processes.join(', ')})`];
}

/** The folder of the project: that of the main checkout, so that one worktree never lies inside another. */
async function projectRoot(run: Run, here: Git): Promise<string> {
  const [main] = await listWorktrees(here);
  // git lists a submodule's main checkout, and a bare repository, by a folder that is no checkout.
  const mainRoot = main && (await rootOf(git(run, main.path)).catch(() => undefined));
  return main !== undefined && mainRoot === main.path ? main.path : rootOf(here);
}

async function mutexOf(git: Git, cwd: string): Promise<string> {
  return join(resolve(cwd, await git('rev-parse', '--git-common-dir')), 'troupe-worktrees');
}

/** Through the repository's own exclude file: the user's `.gitignore` is theirs. */
async function keepOutOfGit(git: Git, cwd: string): Promise<void> {
  const path = await gitPath(git, cwd, 'info/exclude');
  const rule = `/${FOLDER}/`;
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return '';
    throw error;
  });
  if (text.split(/\r?\n/).includes(rule)) return;
  await mkdir(dirname(path), { recursive: true });
  await appendFile(path, `${text === '' || text.endsWith('\n') ? '' : '\n'}${rule}\n`);
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

const isWithin = (path: string, folder: string) => path === folder || path.startsWith(`${folder}${sep}`);
const plural = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
