import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run } from '../../src/host/run.js';
import { reopenWorktree } from '../../src/worktree/reopen.js';
import { createWorktreeUsers } from '../../src/worktree/users.js';
import type { WorktreeHooks } from '../../src/worktree/worktree.js';
import { gitRepo } from '../helpers/gitRepo.js';
import { tempDir } from '../helpers/tempDir.js';
import { branches, create, remove, workerIn } from './making.js';

/** Hooks as shell scripts, run as such hooks are. */
const shell = (create?: string, removal?: string): WorktreeHooks => ({
  ...(create !== undefined && { create: ({ name, cwd }) => run('sh', ['-c', create, 'hook', name], { cwd }) }),
  ...(removal !== undefined && { remove: ({ path }) => run('sh', ['-c', removal, 'hook', path]) }),
});

describe('WorktreeCreate', () => {
  test('takes the place of git: what it prints is the path, also outside of any repository', async () => {
    await using dir = await tempDir();
    await using elsewhere = await tempDir();
    const hooks = shell(`mkdir "${elsewhere.path}/$1" && echo "${elsewhere.path}/$1"`);
    expect(await create(dir.path, 'alice', { hooks })).toEqual({
      path: join(elsewhere.path, 'alice'),
      branch: '',
      base: '',
      into: '',
      hookMade: true,
    });
  });

  test('git makes nothing beside it', async () => {
    await using repo = await gitRepo();
    await using elsewhere = await tempDir();
    await create(repo.path, 'alice', { hooks: shell(`echo ${elsewhere.path}`) });
    expect(await branches(repo)).toEqual(['main']);
    expect(await readdir(repo.path)).toEqual(['.git', 'README.md']);
  });

  test.each([
    ['fails', 'echo no space >&2; exit 3', /the WorktreeCreate hook ended with 3: no space/],
    ['prints nothing', 'true', /must print the absolute path of a folder, and printed ""/],
    ['prints a path that is not there', 'echo /nowhere/at/all', /printed "\/nowhere\/at\/all"/],
    ['prints a relative path', 'echo .', /must print the absolute path/],
    ['prints the checkout itself', 'pwd', /is a part of the checkout itself, or holds it/],
    ['prints what holds the checkout', 'dirname "$PWD"', /is a part of the checkout itself, or holds it/],
    ['prints a plain folder of the checkout', 'mkdir sub && echo "$PWD/sub"', /is a part of the checkout itself/],
  ])('one that %s is an error, never a run in the main checkout', async (_, script, message) => {
    await using repo = await gitRepo();
    await expect(create(repo.path, 'alice', { hooks: shell(script) })).rejects.toThrow(message);
    expect(await branches(repo)).toEqual(['main']);
  });

  test('a name that cannot be one never reaches it', async () => {
    await using dir = await tempDir();
    const hooks = shell(`touch ${dir.path}/ran; echo ${dir.path}`);
    await expect(create(dir.path, '../up', { hooks })).rejects.toThrow(/cannot name a worktree/);
    expect(await readdir(dir.path)).toEqual([]);
  });
});

describe('WorktreeRemove', () => {
  async function made(removal?: string) {
    const repo = await gitRepo();
    const elsewhere = await tempDir();
    const hooks = shell(`mkdir "${elsewhere.path}/$1" && echo "${elsewhere.path}/$1"`, removal);
    const worktree = await create(repo.path, 'alice', { hooks });
    return {
      repo,
      hooks,
      worktree,
      left: () => readdir(elsewhere.path),
      async [Symbol.asyncDispose]() {
        await repo[Symbol.asyncDispose]();
        await elsewhere[Symbol.asyncDispose]();
      },
    };
  }

  test('is the only way that takes away what a hook made, whatever it holds', async () => {
    await using at = await made('rm -r "$1"');
    await writeFile(join(at.worktree.path, 'work'), '');
    expect(await remove(at.repo, at.worktree, { hooks: at.hooks })).toEqual({ removed: true });
    expect(await at.left()).toEqual([]);
  });

  test('without it the worktree is kept and reported', async () => {
    await using at = await made();
    expect(await remove(at.repo, at.worktree, { hooks: at.hooks })).toEqual({
      removed: false,
      why: ['a WorktreeCreate hook made it, and there is no WorktreeRemove hook to take it away'],
    });
    expect(await at.left()).toEqual(['alice']);
  });

  test('one that fails keeps it too, with its words', async () => {
    await using at = await made('echo busy; exit 1');
    expect(await remove(at.repo, at.worktree, { hooks: at.hooks })).toEqual({
      removed: false,
      why: ['the WorktreeRemove hook ended with 1: busy'],
    });
  });

  test('it is not asked while a process or an agent works there', async () => {
    await using at = await made('rm -r "$1"');
    const users = createWorktreeUsers();
    const leave = users.enter(at.worktree.path, 'agent-1');
    await using child = await workerIn(at.worktree.path);
    expect(await remove(at.repo, at.worktree, { hooks: at.hooks, users })).toEqual({
      removed: false,
      why: ['an agent works in it (agent-1)', `a process works in it (${child.pid})`],
    });
    await child.end();
    leave();
    expect(await remove(at.repo, at.worktree, { hooks: at.hooks, users })).toEqual({ removed: true });
  });

  test('coming back to one needs its folder and asks git nothing', async () => {
    await using at = await made('rm -r "$1"');
    const reopen = () => reopenWorktree({ worktree: at.worktree, repo: '/nowhere', run });
    await reopen();
    await remove(at.repo, at.worktree, { hooks: at.hooks });
    await expect(reopen()).rejects.toThrow(at.worktree.path);
    await mkdir(at.worktree.path);
    await reopen();
  });
});
