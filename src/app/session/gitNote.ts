import type { Run } from '../../host/run.js';
import { head } from '../../util/text.js';
import { type Git, GitError, git } from '../../worktree/git.js';

const MAX_FILES = 40;
const MAX_CHARACTERS = 4000;

/** The repository in words, as it is at this moment: branch, short status, last five commits. Empty outside of one. */
export async function gitNote(run: Run, cwd: string): Promise<string> {
  const ask = git(run, cwd);
  const [status, log] = await Promise.all([
    answerOf(ask, '--no-optional-locks', 'status', '--short', '--branch', '--untracked-files=normal'),
    answerOf(ask, 'log', '-5', '--format=%h %s'),
  ]);
  if (status === undefined) return '';
  const [branch = '', ...files] = status.split('\n');
  const text = [
    `Branch: ${branch.replace(/^## /, '')}`,
    files.length === 0 ? 'Status: clean' : 'Status:',
    ...files.slice(0, MAX_FILES),
    ...(files.length > MAX_FILES ? [`(${files.length - MAX_FILES} more)`] : []),
    ...(log ? ['Last commits:', log] : []),
  ].join('\n');
  const bounded = text.length > MAX_CHARACTERS ? `${head(text, MAX_CHARACTERS)}\n[cut]` : text;
  return `<git-status>\nAs it was when this conversation began; it is not kept up to date.\n${bounded}\n</git-status>`;
}

async function answerOf(ask: Git, ...args: string[]): Promise<string | undefined> {
  try {
    return await ask(...args);
  } catch (error) {
    if (error instanceof GitError) return undefined;
    throw error;
  }
}
