import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../src/host/run.js';
import { snapshotOf, surelyRestore } from '../../src/worktree/checkout.js';
import { gitRepo } from '../helpers/gitRepo.js';
import { listing } from '../helpers/listing.js';

test('a merge that ended anywhere is taken back, file by file; what it had no hand in stays as somebody has made it', async () => {
  await using repo = await gitRepo();
  const at = (path: string) => join(repo.path, path);
  await mkdir(at('old'));
  await mkdir(at('empty'));
  for (const path of ['changed.txt', 'removed.txt', 'old/both.txt', 'mine.txt', 'm*.txt']) await repo.commit(path);
  await writeFile(at('unknown.txt'), 'unknown');
  const traces = async () => ({
    files: (await listing(repo.path)).filter((line) => !line.includes('/.git')),
    status: await repo.git('status', '--porcelain=v1'),
  });
  const before = await traces();
  const paths = [
    'm*.txt',
    'changed.txt',
    'removed.txt',
    'old/both.txt',
    'old/[new] *.txt',
    'deep/er/new.txt',
    'empty/new.txt',
  ];
  const snapshot = await snapshotOf(run, repo.path, paths);
  // Half of it written, some of that in the index, and git knows nothing of a merge.
  await writeFile(at('changed.txt'), 'half');
  await rm(at('removed.txt'));
  await mkdir(at('deep/er'), { recursive: true });
  for (const path of ['old/[new] *.txt', 'deep/er/new.txt', 'empty/new.txt']) await writeFile(at(path), 'new');
  await repo.git('add', 'deep', 'old');
  await surelyRestore(run, snapshot);
  expect(await traces()).toEqual(before);

  await appendFile(at('mine.txt'), 'typed meanwhile');
  await writeFile(at('changed.txt'), 'half');
  await surelyRestore(run, snapshot);
  expect(await repo.git('status', '--porcelain=v1')).toBe('M mine.txt\n?? unknown.txt'.replace(/^/, ' '));
});
