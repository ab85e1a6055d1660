import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { gitNote } from '../../src/app/session/gitNote.js';
import { run } from '../../src/host/run.js';
import { tempDir } from '../helpers/tempDir.js';

async function repository() {
  const dir = await tempDir();
  const git = async (...args: string[]) => {
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b.c', '-c', 'commit.gpgsign=false'];
    const { exitCode, stderr } = await run('git', ['-C', dir.path, ...identity, ...args]);
    if (exitCode !== 0) throw new Error(stderr);
  };
  await git('init', '--quiet', '--initial-branch=main');
  return { dir, git };
}

test('the note has the branch, the short status and the last five commits', async () => {
  const { dir, git } = await repository();
  await using _ = dir;
  for (const n of [1, 2, 3, 4, 5, 6]) await git('commit', '--quiet', '--allow-empty', '-m', `change ${n}`);
  expect(await gitNote(run, dir.path)).toMatch(
    /^<git-status>\n.*\nBranch: main\nStatus: clean\nLast commits:\n\w+ change 6\n(\w+ change [2-5]\n){4}<\/git-status>$/,
  );
  await writeFile(join(dir.path, 'new.txt'), 'x');
  expect(await gitNote(run, dir.path)).toMatch(/\nStatus:\n\?\? new\.txt\nLast commits:\n/);
});

test('the note is bounded, however much has changed and however long a commit says so', async () => {
  const { dir, git } = await repository();
  await using _ = dir;
  await git('commit', '--quiet', '--allow-empty', '-m', 'y'.repeat(9000));
  await Promise.all(Array.from({ length: 100 }, (_, n) => writeFile(join(dir.path, `file${n}`), '')));
  const note = await gitNote(run, dir.path);
  expect(note).toContain('(60 more)');
  expect(note.length).toBeLessThan(4500);
});

test('a repository without a commit has a note, a folder outside of any has none', async () => {
  const { dir } = await repository();
  await using _ = dir;
  expect(await gitNote(run, dir.path)).toMatch(/Branch: No commits yet on main\nStatus: clean\n<\/git-status>$/);
  await using plain = await tempDir();
  await mkdir(join(plain.path, 'a'));
  expect(await gitNote(run, join(plain.path, 'a'))).toBe('');
});
