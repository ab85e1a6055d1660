import { resolve } from 'node:path';
import type { Run, RunOptions, RunResult } from '../host/run.js';
import { ExitCode, UserError } from '../util/errors.js';

/** git said no, in its own words. */
export class GitError extends Error {
  override readonly name = 'GitError';

  constructor(args: readonly string[], { stderr, stdout, exitCode }: RunResult) {
    super(`git ${args.join(' ')}: ${stderr.trim() || stdout.trim() || `ended with ${exitCode}`}`);
  }
}

/** Runs git in one folder and returns what it prints, without the final newline. @throws GitError */
export type Git = (...args: string[]) => Promise<string>;

// A hook of git's that starts us has these set: they would point every command at that repository.
const INHERITED = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_PREFIX',
  'GIT_COMMON_DIR',
  'GIT_OBJECT_DIRECTORY',
];
// Nobody is there to answer a question of git's.
const ENV = [...INHERITED.flatMap((name) => ['-u', name]), 'GIT_TERMINAL_PROMPT=0'];

export interface GitOptions extends Pick<RunOptions, 'input' | 'signal'> {
  /** What its environment has besides. */
  readonly variables?: Readonly<Record<string, string>>;
}

export function git(run: Run, cwd: string, options?: GitOptions): Git {
  return async (...args) => {
    const result = await runGit(run, cwd, args, options);
    if (result.exitCode !== 0) throw new GitError(args, result);
    return result.stdout;
  };
}

/** The same for a command whose exit code says more than yes or no. */
export async function runGit(
  run: Run,
  cwd: string,
  args: readonly string[],
  { variables = {}, ...options }: GitOptions = {},
): Promise<RunResult> {
  const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return run('env', [...ENV, ...assignments, 'git', ...args], { ...options, cwd });
}

/** Those of `paths`, seen from `cwd`, that git ignores. A tracked file never is. */
export async function ignoredAmong(run: Run, cwd: string, paths: readonly string[]): Promise<string[]> {
  if (paths.length === 0) return [];
  const args = ['check-ignore', '-z', '--stdin'];
  const result = await runGit(run, cwd, args, { input: paths.join('\0') });
  // 1: none of them (git-check-ignore(1)).
  if (result.exitCode > 1) throw new GitError(args, result);
  return listed(result.stdout);
}

/** What a command with `-z` has printed. */
export function listed(output: string): string[] {
  return output.split('\0').filter((entry) => entry !== '');
}

export interface Head {
  readonly commit: string;
  /** Absent on a detached HEAD. */
  readonly branch?: string;
}

/** @throws GitError outside of a repository, or in one without a commit. */
export async function headOf(git: Git): Promise<Head> {
  const commit = await git('rev-parse', '--verify', '--end-of-options', 'HEAD^{commit}');
  const branch = await succeeded(git('symbolic-ref', '--quiet', '--short', 'HEAD'));
  return branch === undefined ? { commit } : { commit, branch };
}

export async function isRepository(git: Git): Promise<boolean> {
  return (await succeeded(git('rev-parse', '--is-inside-work-tree'))) === 'true';
}

/** The top folder of the checkout in which git runs, as git says it. */
export async function rootOf(git: Git): Promise<string> {
  return git('rev-parse', '--show-toplevel');
}

/** The commit that a name stands for, or `undefined`. */
export async function commitOf(git: Git, name: string): Promise<string | undefined> {
  return succeeded(git('rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`));
}

/** Whether `ancestor` is in the history of `descendant`. */
export async function isContained(git: Git, ancestor: string, descendant: string): Promise<boolean> {
  return (await succeeded(git('merge-base', '--is-ancestor', ancestor, descendant))) !== undefined;
}

/** A path inside git's own folder, absolute; shared by all worktrees where git shares it. */
export async function gitPath(git: Git, cwd: string, name: string): Promise<string> {
  return resolve(cwd, await git('rev-parse', '--git-path', name));
}

/** The folder that all checkouts of a repository share: theirs is the same exactly when this is. */
export async function commonFolder(git: Git, cwd: string): Promise<string> {
  return resolve(cwd, await git('rev-parse', '--git-common-dir'));
}

export interface Status {
  readonly untracked: number;
  readonly staged: number;
  readonly modified: number;
}

/** What is not committed. Ignored files do not count; files in untracked folders do, whatever the user's settings. */
export async function statusOf(git: Git): Promise<Status> {
  const flags = ['--porcelain=v1', '-z', '--no-renames', '--untracked-files=all', '--ignore-submodules=none'];
  const entries = listed(await git('--no-optional-locks', 'status', ...flags));
  return {
    untracked: entries.filter((entry) => entry.startsWith('??')).length,
    staged: entries.filter((entry) => !/^[ ?!]/.test(entry)).length,
    modified: entries.filter((entry) => !/^.[ ?!]/.test(entry)).length,
  };
}

export interface ListedWorktree {
  readonly path: string;
  /** The commit that is checked out. */
  readonly head?: string;
  readonly branch?: string;
  /** Why it is locked, perhaps for no given reason; absent where it is not. */
  readonly lock?: string;
}

/** `git worktree list`: the main one first. */
export async function listWorktrees(git: Git): Promise<ListedWorktree[]> {
  const blocks = (await git('worktree', 'list', '--porcelain')).split('\n\n').filter((block) => block.trim() !== '');
  return blocks.map((block) => {
    const lines = block.split('\n');
    const value = (key: string) => lines.find((line) => line.startsWith(`${key} `))?.slice(key.length + 1);
    const head = value('HEAD');
    const branch = value('branch')?.replace(/^refs\/heads\//, '');
    const lock = value('locked') ?? (lines.includes('locked') ? '' : undefined);
    return {
      path: value('worktree') ?? '',
      ...(head !== undefined && { head }),
      ...(branch !== undefined && { branch }),
      ...(lock !== undefined && { lock }),
    };
  });
}

/** For what a person has asked for: a refusal of git's is theirs to read. @throws UserError in place of GitError */
export async function inGitsWords<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof GitError) throw new UserError(error.message, ExitCode.failed, { cause: error });
    throw error;
  }
}

/** What git prints, or `undefined` where it says no. */
export async function succeeded(answer: Promise<string>): Promise<string | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}
