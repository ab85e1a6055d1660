import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../src/host/run.js';
import { git } from '../../src/worktree/git.js';
import { gitRepo } from '../helpers/gitRepo.js';
import { tempDir } from '../helpers/tempDir.js';
import { create, remove } from './making.js';

/** A project that ignores `.env`, `*.key` and `secrets/`, with such files in it, and the given list. */
async function project(list: string, ignored = '.env*\n*.key\nsecrets/\n') {
  const repo = await gitRepo();
  await repo.commit('.gitignore', ignored);
  await repo.commit('.worktreeinclude', list);
  const write = async (file: string, text = file) => {
    const path = join(repo.path, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    return path;
  };
  return { ...repo, write, [Symbol.asyncDispose]: () => repo[Symbol.asyncDispose]() };
}

/** What a worktree has beside what is committed. */
async function extraIn(path: string): Promise<string[]> {
  const files = (await readdir(path, { recursive: true, withFileTypes: true }))
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length + 1));
  const known = (await git(run, path)('ls-files')).split('\n');
  return files.filter((file) => file !== '.git' && !known.includes(file)).sort();
}

test('files that are ignored and listed are copied with their modes, and do not make the worktree changed', async () => {
  await using repo = await project('# what a checkout needs\n.env*\n!.env.production\nsecrets/\n/only-here.key\n');
  await chmod(await repo.write('.env', 'A=1'), 0o600);
  await chmod(await repo.write('packages/app/.env.local'), 0o666);
  await repo.write('.env.production');
  await chmod(await repo.write('secrets/deep/run.sh'), 0o755);
  await repo.write('only-here.key');
  await repo.write('packages/only-here.key');

  const made = await create(repo.path);
  expect(await extraIn(made.path)).toEqual(['.env', 'only-here.key', 'packages/app/.env.local', 'secrets/deep/run.sh']);
  expect(await readFile(join(made.path, '.env'), 'utf8')).toBe('A=1');
  const modes = ['.env', 'packages/app/.env.local', 'secrets/deep/run.sh'].map(
    async (file) => (await stat(join(made.path, file))).mode & 0o777,
  );
  expect(await Promise.all(modes)).toEqual([0o600, 0o666, 0o755]);
  expect(await git(run, made.path)('status', '--porcelain')).toBe('');
  expect(await remove(repo, made)).toEqual({ removed: true });
});

test('a copy is a copy: what the agent writes into it does not reach the project', async () => {
  await using repo = await project('.env\n');
  const original = await repo.write('.env', 'A=1');
  const made = await create(repo.path);
  await writeFile(join(made.path, '.env'), 'A=2');
  expect(await readFile(original, 'utf8')).toBe('A=1');
});

test('files that are listed and not ignored stay away: a commit would take them along', async () => {
  await using repo = await project('*.txt\n.env\n', '.env\n');
  await repo.write('notes.txt');
  await repo.write('.env');
  expect(await extraIn((await create(repo.path)).path)).toEqual(['.env']);
});

test('a file that only the uncommitted .gitignore ignores stays away too', async () => {
  await using repo = await project('*.pem\n');
  await repo.write('.gitignore', '*.pem\n');
  await repo.write('own.pem');
  expect(await extraIn((await create(repo.path)).path)).toEqual([]);
});

test('names with spaces, newlines and other scripts are copied as they are', async () => {
  await using repo = await project('secrets/\n');
  for (const name of ['a b', 'new\nline', 'ключ', '"quoted"', '-rf']) await repo.write(`secrets/${name}`);
  expect(await extraIn((await create(repo.path)).path)).toEqual(
    ['a b', 'new\nline', 'ключ', '"quoted"', '-rf'].map((name) => `secrets/${name}`).sort(),
  );
});

test('what a link out of the project leads to is not copied', async () => {
  await using repo = await project('.env\nsecrets/\n');
  await using elsewhere = await tempDir();
  await writeFile(join(elsewhere.path, 'private'), 'private');
  await symlink(join(elsewhere.path, 'private'), join(repo.path, '.env'));
  await repo.write('secrets/a');
  const made = await create(repo.path);
  expect(await extraIn(made.path)).toEqual(['secrets/a']);
});

test('where the checkout has a link in place of a folder, nothing is written through it', async () => {
  await using repo = await project('secrets/\n');
  await using elsewhere = await tempDir();
  await symlink(elsewhere.path, join(repo.path, 'secrets'));
  await repo.git('add', '--force', 'secrets');
  await repo.git('commit', '--quiet', '-m', 'link');
  await rm(join(repo.path, 'secrets'));
  await repo.write('secrets/a');
  await create(repo.path);
  expect(await readdir(elsewhere.path)).toEqual([]);
});

test('a file that is there already, from a hook of git’s for one, stays as it is', async () => {
  await using repo = await project('.env\n');
  await repo.write('.env', 'A=1');
  const hook = await repo.write('.git/hooks/post-checkout', '#!/bin/sh\necho A=hook > .env\n');
  await chmod(hook, 0o755);
  const made = await create(repo.path);
  expect(await readFile(join(made.path, '.env'), 'utf8')).toBe('A=hook\n');
});

test('a list that is not there, or lists nothing that is there, is no matter', async () => {
  await using repo = await project('.env\n');
  expect(await extraIn((await create(repo.path, 'one')).path)).toEqual([]);
  await using plain = await gitRepo();
  expect(await extraIn((await create(plain.path, 'two')).path)).toEqual([]);
});
