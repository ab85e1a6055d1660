import { git } from './git.js';
import { inspectWorktree, type WorktreeQuestion } from './inspect.js';

const MOST_NAMED = 20;

/** Each file and commit that would go with a worktree, for a person; empty when it holds nothing. */
export async function contentsOf(question: WorktreeQuestion): Promise<string[]> {
  const { changed, why } = await inspectWorktree(question);
  if (!changed) return [];
  const inside = git(question.run, question.path);
  const { base, into } = question;
  const safe = into === undefined ? [] : [into];
  try {
    const status = await inside('--no-optional-locks', 'status', '--porcelain=v1', '--untracked-files=all');
    const files = status.split('\n').flatMap((line) => (line === '' ? [] : [line.slice(3)]));
    const log = await inside('log', '--format=%h %s', 'HEAD', '--not', ...(base === '' ? [] : [base]), ...safe);
    const commits = log.split('\n').flatMap((line) => (line === '' ? [] : [`commit ${line}`]));
    const all = [...files, ...commits];
    if (all.length === 0) return [...why];
    const more = all.length - MOST_NAMED;
    return more > 0 ? [...all.slice(0, MOST_NAMED), `${more} more`] : all;
  } catch {
    // What cannot be listed can still be told.
    return [...why];
  }
}
