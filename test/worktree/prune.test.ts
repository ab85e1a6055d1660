import { rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run } from '../../src/host/run.js';
import { git } from '../../src/worktree/git.js';
import { pruneStale } from '../../src/worktree/prune.js';
import { reopenWorktree } from '../../src/worktree/reopen.js';
import { commitIn, type GitRepo, gitRepo } from '../helpers/gitRepo.js';
import { tempDir } from '../helpers/tempDir.js';
import { branches, create, type Made, remove, workerIn } from './making.js';

const DEAD = 'in use by troupe, process 1 (linux:another boot:1)';

/** As a process leaves it that was killed. */
async function abandoned(repo: GitRepo, name: string, work: (made: Made) => Promise<unknown> = async () => {}) {
  const made = await create(repo.path, name);
  await work(made);
  await repo.git('worktree', 'unlock', made.path);
  await repo.git('worktree', 'lock', '--reason', DEAD, made.path);
  return made;
}

const prune = async (repo: string, isNeeded: (path: string) => boolean = () => false) =>
  (await pruneStale({ repo, run, isNeeded })).map((path) => basename(path)).sort();

describe('leftovers', () => {
  test('go when they hold nothing, and stay when they hold something', async () => {
    await using repo = await gitRepo();
    await abandoned(repo, 'clean');
    await abandoned(repo, 'untracked', ({ path }) => writeFile(join(path, 'a'), ''));
    await abandoned(repo, 'committed', ({ path }) => commitIn(path, 'b'));
    await abandoned(repo, 'detached', async ({ path }) => {
      await git(run, path)('switch', '--quiet', '--detach');
      await commitIn(path, 'c');
    });
    await abandoned(repo, 'merged', async ({ path, branch }) => {
      await commitIn(path, 'd');
      await repo.git('merge', '--quiet', '--no-ff', '-m', 'merge', branch);
    });
    await abandoned(repo, 'deleted', ({ path }) => rm(path, { recursive: true }));
    expect(await prune(repo.path)).toEqual(['clean', 'deleted', 'merged']);
    expect(await branches(repo)).toEqual(['main', 'troupe/committed', 'troupe/detached', 'troupe/untracked']);
    expect(await prune(repo.path)).toEqual([]);
  });

  test('commits that another branch or a remote has are not lost with them', async () => {
    await using repo = await gitRepo();
    await abandoned(repo, 'branched', async ({ path }) => {
      await commitIn(path, 'a');
      await repo.git('branch', 'kept', 'troupe/branched');
    });
    await abandoned(repo, 'pushed', async ({ path }) => {
      const commit = await commitIn(path, 'b');
      await repo.git('update-ref', 'refs/remotes/origin/topic', commit);
    });
    expect(await prune(repo.path)).toEqual(['branched', 'pushed']);
  });

  test('are asked about from any checkout, a detached one and one inside of another included', async () => {
    await using repo = await gitRepo();
    await abandoned(repo, 'clean');
    const here = await create(repo.path, 'here');
    await repo.git('switch', '--quiet', '--detach');
    await repo.commit('on no branch');
    await abandoned(repo, 'from-detached');
    expect(await prune(here.path)).toEqual(['clean', 'from-detached']);
  });

  test('in no repository there are none', async () => {
    await using dir = await tempDir();
    expect(await prune(dir.path)).toEqual([]);
  });
});

describe('what is in use stays', () => {
  test('a living process that holds it, also one that only made it', async () => {
    await using repo = await gitRepo();
    await create(repo.path);
    expect(await prune(repo.path)).toEqual([]);
  });

  test('a living process that works in it', async () => {
    await using repo = await gitRepo();
    const made = await abandoned(repo, 'alice');
    await using child = await workerIn(made.path);
    expect(await prune(repo.path)).toEqual([]);
    await child.end();
    expect(await prune(repo.path)).toEqual(['alice']);
  });

  test('a stopped team that may come back to it', async () => {
    await using repo = await gitRepo();
    const made = await abandoned(repo, 'alice');
    expect(await prune(repo.path, (path) => path === made.path)).toEqual([]);
  });

  test('a worktree that is not of our making, or that somebody else has locked', async () => {
    await using repo = await gitRepo();
    await repo.git('worktree', 'add', '--quiet', '-b', 'mine', join(repo.path, '.claude/worktrees/mine'));
    await repo.git('worktree', 'add', '--quiet', '-b', 'troupe/far', join(repo.path, '..', 'far'));
    const made = await create(repo.path);
    await repo.git('worktree', 'unlock', made.path);
    await repo.git('worktree', 'lock', '--reason', 'on a stick', made.path);
    await repo.git('branch', 'troupe/branch-alone');
    expect(await prune(repo.path)).toEqual([]);
    expect(await branches(repo)).toEqual(['main', 'mine', 'troupe/alice', 'troupe/branch-alone', 'troupe/far']);
  });
});

describe('coming back', () => {
  test('a worktree that was left is held again by whoever comes back to it', async () => {
    await using repo = await gitRepo();
    const made = await abandoned(repo, 'alice');
    await reopenWorktree({ worktree: made, repo: repo.path, run });
    expect(await prune(repo.path)).toEqual([]);
  });

  test.each<[what: string, ending: (repo: GitRepo, made: Made) => Promise<unknown>]>([
    ['deleted by hand', (_, { path }) => rm(path, { recursive: true })],
    ['removed', (repo, made) => remove(repo, made)],
    [
      'replaced by a plain folder',
      async (repo, { path }) => {
        await repo.git('worktree', 'unlock', path);
        await repo.git('worktree', 'remove', path);
        await run('mkdir', [path]);
      },
    ],
    [
      'replaced by another repository',
      async (repo, { path }) => {
        await repo.git('worktree', 'unlock', path);
        await repo.git('worktree', 'remove', path);
        await run('git', ['init', '--quiet', path]);
      },
    ],
    ['cut off from its repository', (_, { path }) => rm(join(path, '.git'))],
  ])('one that was %s is an error that names it and leaves the main checkout alone', async (_, ending) => {
    await using repo = await gitRepo();
    const made = await create(repo.path);
    await ending(repo, made);
    await expect(reopenWorktree({ worktree: made, repo: repo.path, run })).rejects.toThrow(made.path);
    expect(await repo.git('status', '--porcelain')).toBe('');
    expect(await repo.git('branch', '--show-current')).toBe('main');
  });
});
