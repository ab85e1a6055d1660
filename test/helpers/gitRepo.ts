import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../src/host/run.js';
import { type Git, git } from '../../src/worktree/git.js';
import { tempDir } from './tempDir.js';

export interface GitRepo {
  readonly path: string;
  readonly git: Git;
  /** Writes a file and commits everything; returns the commit. */
  commit(file: string, text?: string): Promise<string>;
}

/** A git repository on branch `main` with one commit, gone when the test is over. */
export async function gitRepo(): Promise<GitRepo & AsyncDisposable> {
  const dir = await tempDir();
  const repo = await initRepo(join(dir.path, 'project'));
  return { ...repo, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

export async function initRepo(path: string): Promise<GitRepo> {
  await run('git', ['init', '--quiet', '--initial-branch=main', path]);
  const inside = git(run, path);
  await inside('config', 'user.name', 'Test');
  await inside('config', 'user.email', 'test@example.com');
  const commit = (file: string, text = file) => commitIn(path, file, text);
  await commit('README.md', 'hello\n');
  return { path, git: inside, commit };
}

/** Writes a file into any checkout and commits everything there; returns the commit. */
export async function commitIn(path: string, file: string, text = file): Promise<string> {
  const inside = git(run, path);
  await writeFile(join(path, file), text);
  await inside('add', '--all');
  await inside('commit', '--quiet', '-m', `change ${file}`);
  return inside('rev-parse', 'HEAD');
}
