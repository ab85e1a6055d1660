import { mkdir, readdir, readFile, readlink, realpath, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Run, run } from '../../src/host/run.js';
import { git } from '../../src/worktree/git.js';
import { commitIn, type GitRepo, gitRepo } from '../helpers/gitRepo.js';
import { tempDir } from '../helpers/tempDir.js';
import { branches, create, inspect, remove } from './making.js';

async function cloneOf(upstream: GitRepo) {
  const dir = await tempDir();
  const path = join(dir.path, 'clone');
  await run('git', ['clone', '--quiet', upstream.path, path]);
  const inside = git(run, path);
  await inside('config', 'user.name', 'Test');
  await inside('config', 'user.email', 'test@example.com');
  return { path, git: inside, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

describe('baseRef fresh', () => {
  const fresh = { settings: { baseRef: 'fresh' } } as const;

  test('starts from the tip of the remote’s default branch, fetched when the last fetch is old', async () => {
    await using upstream = await gitRepo();
    await using repo = await cloneOf(upstream);
    await repo.git('fetch', '--quiet');
    await repo.git('switch', '--quiet', '-c', 'feature');
    await commitIn(repo.path, 'feature.ts');
    const before = await upstream.git('rev-parse', 'HEAD');
    const after = await upstream.commit('new.ts');

    expect(await create(repo.path, 'today', fresh)).toMatchObject({ base: before, into: 'feature' });
    const twoDaysAgo = new Date(Date.now() - 2 * 24 * 60 * 60 * 1000);
    await utimes(join(repo.path, '.git/FETCH_HEAD'), twoDaysAgo, twoDaysAgo);
    const made = await create(repo.path, 'later', fresh);
    expect(made.base).toBe(after);
    expect(await readFile(join(made.path, 'new.ts'), 'utf8')).toBe('new.ts');
  });

  test('goes on with what is there when the remote does not answer', async () => {
    await using upstream = await gitRepo();
    await using repo = await cloneOf(upstream);
    const known = await repo.git('rev-parse', 'origin/HEAD');
    await repo.git('remote', 'set-url', 'origin', '/nowhere/at/all');
    expect(await create(repo.path, 'alice', fresh)).toMatchObject({ base: known });
  });

  test('a fetch has five seconds and asks nobody for a password', async () => {
    await using repo = await gitRepo();
    const fetches: [args: readonly string[], timeout: number | undefined][] = [];
    const watched: Run = (file, args, options) => {
      if (args.includes('fetch')) fetches.push([args, options?.timeout]);
      return run(file, args, options);
    };
    await create(repo.path, 'alice', { ...fresh, run: watched });
    expect(fetches).toEqual([[expect.arrayContaining(['GIT_TERMINAL_PROMPT=0', 'origin']), 5000]]);
  });

  test('without a remote is what is checked out', async () => {
    await using repo = await gitRepo();
    const head = await repo.commit('a.ts');
    expect(await create(repo.path, 'alice', fresh)).toMatchObject({ base: head, into: 'main' });
  });
});

describe('sparsePaths', () => {
  async function mixed() {
    const repo = await gitRepo();
    for (const folder of ['packages/app/src', 'packages/other', 'docs'])
      await mkdir(join(repo.path, folder), { recursive: true });
    await writeFile(join(repo.path, 'packages/app/src/a.ts'), 'a');
    await writeFile(join(repo.path, 'packages/other/b.ts'), 'b');
    await repo.commit('docs/c.md');
    return repo;
  }

  test('only those folders, and the files above them, are in the worktree; the project stays whole', async () => {
    await using repo = await mixed();
    const made = await create(repo.path, 'alice', { settings: { sparsePaths: ['packages/app'] } });
    const files = await run('find', ['.', '-type', 'f', '-not', '-name', '.git'], { cwd: made.path });
    expect(files.stdout.split('\n').sort()).toEqual(['./README.md', './packages/app/src/a.ts']);
    expect(await readFile(join(repo.path, 'docs/c.md'), 'utf8')).toBe('docs/c.md');
    expect(await repo.git('status', '--porcelain')).toBe('');
    expect(await inspect(made)).toMatchObject({ changed: false });
    expect(await remove(repo, made)).toEqual({ removed: true });
  });

  test('a folder that git refuses leaves nothing behind', async () => {
    await using repo = await mixed();
    await expect(create(repo.path, 'alice', { settings: { sparsePaths: ['!docs'] } })).rejects.toThrow(
      /No worktree at/,
    );
    expect(await branches(repo)).toEqual(['main']);
    expect((await repo.git('worktree', 'list')).split('\n')).toHaveLength(1);
  });
});

describe('symlinkDirectories', () => {
  const linking = (...symlinkDirectories: string[]) => ({ settings: { symlinkDirectories } });

  test('an ignored folder is shared by a link that git does not see, and outlives the worktree', async () => {
    await using repo = await gitRepo();
    await repo.commit('.gitignore', 'node_modules/\n');
    await mkdir(join(repo.path, 'packages/[a] b/node_modules'), { recursive: true });
    await writeFile(join(repo.path, 'packages/[a] b/node_modules/index.js'), 'x');

    const made = await create(repo.path, 'alice', linking('packages/[a] b/node_modules', 'nowhere'));
    const link = join(made.path, 'packages/[a] b/node_modules');
    expect(await readlink(link)).toBe(join(repo.path, 'packages/[a] b/node_modules'));
    expect(await git(run, made.path)('status', '--porcelain')).toBe('');
    expect(await repo.git('status', '--porcelain')).toBe('');

    expect(await remove(repo, made)).toEqual({ removed: true });
    expect(await readFile(join(repo.path, 'packages/[a] b/node_modules/index.js'), 'utf8')).toBe('x');
  });

  test('nothing that the checkout has is replaced, and a folder that the project shows stays shown', async () => {
    await using repo = await gitRepo();
    await mkdir(join(repo.path, 'lib'));
    await repo.commit('lib/a.ts');
    await mkdir(join(repo.path, 'scratch'));
    await writeFile(join(repo.path, 'scratch/a'), '');
    const made = await create(repo.path, 'alice', linking('lib', 'scratch'));
    expect(await realpath(join(made.path, 'lib'))).toBe(join(made.path, 'lib'));
    expect(await readlink(join(made.path, 'scratch'))).toBe(join(repo.path, 'scratch'));
    expect(await repo.git('status', '--porcelain')).toBe('?? scratch/');
  });

  test('no link is made through a link that leads out of the worktree', async () => {
    await using repo = await gitRepo();
    await using elsewhere = await tempDir();
    await symlink(elsewhere.path, join(repo.path, 'out'));
    await repo.git('add', '--all');
    await repo.git('commit', '--quiet', '-m', 'link');
    await rm(join(repo.path, 'out'));
    await mkdir(join(repo.path, 'out/cache'), { recursive: true });
    await create(repo.path, 'alice', linking('out/cache'));
    expect(await readdir(elsewhere.path)).toEqual([]);
  });
});
