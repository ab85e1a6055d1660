import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run } from '../../src/host/run.js';
import { git } from '../../src/worktree/git.js';
import { createWorktreeUsers } from '../../src/worktree/users.js';
import { commitIn, type GitRepo, gitRepo, initRepo } from '../helpers/gitRepo.js';
import { branches, create, type Made, remove, workerIn } from './making.js';

const worktrees = async (repo: GitRepo) => (await repo.git('worktree', 'list')).split('\n').length;

describe('refusals', () => {
  test('the main checkout, what holds it, and what is no worktree are refused and left whole', async () => {
    await using repo = await gitRepo();
    const made = await create(repo.path);
    const stranger = await initRepo(join(repo.path, '..', 'stranger'));
    const refused: [path: string, why: RegExp][] = [
      [repo.path, /is the main checkout, or holds it/],
      [join(repo.path, '..'), /is the main checkout, or holds it/],
      [stranger.path, /is no worktree of this repository/],
      [join(repo.path, '.claude'), /is no worktree of this repository/],
    ];
    for (const [path, why] of refused) {
      expect(await remove(repo, { ...made, path })).toEqual({ removed: false, why: [expect.stringMatching(why)] });
      expect(await readdir(path)).not.toEqual([]);
    }
    expect(await branches(repo)).toEqual(['main', 'troupe/alice']);
  });

  test('a worktree in which a process works is kept', async () => {
    await using repo = await gitRepo();
    const made = await create(repo.path);
    await using child = await workerIn(made.path);
    expect(await remove(repo, made)).toEqual({ removed: false, why: [`a process works in it (${child.pid})`] });
    await child.end();
    expect(await remove(repo, made)).toEqual({ removed: true });
  });

  test('a worktree that holds another one is kept', async () => {
    await using repo = await gitRepo();
    const made = await create(repo.path);
    await repo.git('worktree', 'add', '--quiet', '--detach', join(made.path, '.claude/worktrees/nested'));
    expect(await remove(repo, made)).toMatchObject({ removed: false });
  });
});

describe('submodules', () => {
  const allowFiles = ['-c', 'protocol.file.allow=always'];

  /** A project with the submodule `sub`, and a worktree of it. */
  async function withSubmodule() {
    const library = await gitRepo();
    const repo = await gitRepo();
    await repo.git(...allowFiles, 'submodule', '--quiet', 'add', library.path, 'sub');
    await repo.git('commit', '--quiet', '-m', 'sub');
    const made = await create(repo.path);
    const inside = git(run, made.path);
    return {
      repo,
      made,
      populate: () => inside(...allowFiles, 'submodule', '--quiet', 'update', '--init'),
      sub: join(made.path, 'sub'),
      async [Symbol.asyncDispose]() {
        await library[Symbol.asyncDispose]();
        await repo[Symbol.asyncDispose]();
      },
    };
  }

  test('an unchanged worktree goes, although git takes none with a submodule unless forced', async () => {
    await using at = await withSubmodule();
    expect(await remove(at.repo, at.made)).toEqual({ removed: true });
    expect(await branches(at.repo)).toEqual(['main']);
    expect(await worktrees(at.repo)).toBe(1);
  });

  test('it goes too when the submodule was fetched and nothing was done in it', async () => {
    await using at = await withSubmodule();
    await at.populate();
    expect(await readdir(at.sub)).toContain('README.md');
    expect(await remove(at.repo, at.made)).toEqual({ removed: true });
  });

  const identified = async (path: string) => {
    await git(run, path)('config', 'user.name', 'Test');
    await git(run, path)('config', 'user.email', 'test@example.com');
  };

  test.each<[what: string, work: (sub: string) => Promise<unknown>, why: RegExp]>([
    ['an untracked file', (sub) => writeFile(join(sub, 'new'), ''), /modified/],
    [
      'a commit',
      (sub) => identified(sub).then(() => commitIn(sub, 'new')),
      /1 commit in submodules that no remote has/,
    ],
    [
      'a commit on a branch that is not checked out',
      async (sub) => {
        await identified(sub);
        await git(run, sub)('switch', '--quiet', '-c', 'side');
        await commitIn(sub, 'new');
        await git(run, sub)('switch', '--quiet', '--detach', 'origin/main');
      },
      /1 commit in submodules that no remote has/,
    ],
    [
      'a stash',
      async (sub) => {
        await identified(sub);
        await writeFile(join(sub, 'README.md'), 'other');
        await git(run, sub)('stash', '--quiet');
      },
      /commits in submodules that no remote has/,
    ],
  ])('%s in the submodule keeps the worktree', async (_, work, why) => {
    await using at = await withSubmodule();
    await at.populate();
    await work(at.sub);
    expect(await remove(at.repo, at.made)).toEqual({
      removed: false,
      why: expect.arrayContaining([expect.stringMatching(why)]),
    });
    expect(await readdir(at.sub)).not.toEqual([]);
  });
});

describe('locks', () => {
  test('a lock of somebody else keeps the worktree, and is named', async () => {
    await using repo = await gitRepo();
    const made = await create(repo.path);
    await repo.git('worktree', 'unlock', made.path);
    await repo.git('worktree', 'lock', '--reason', 'on a stick', made.path);
    expect(await remove(repo, made)).toEqual({ removed: false, why: ['it is locked: on a stick'] });
    await repo.git('worktree', 'unlock', made.path);
    await repo.git('worktree', 'lock', made.path);
    expect(await remove(repo, made)).toEqual({ removed: false, why: ['it is locked'] });
  });

  test('a worktree that is kept for its content is no longer locked: the user may take it away', async () => {
    await using repo = await gitRepo();
    const made = await create(repo.path);
    await commitIn(made.path, 'work.ts');
    expect(await remove(repo, made)).toMatchObject({ removed: false });
    await repo.git('worktree', 'remove', made.path);
    expect(await worktrees(repo)).toBe(1);
  });
});

describe('deleted by hand', () => {
  const cases: [what: string, work: (made: Made) => Promise<unknown>, why: string[]][] = [
    ['nothing', async () => {}, []],
    ['a commit', (made) => commitIn(made.path, 'a.ts'), ['1 commit that main does not contain']],
    [
      'a commit on a detached HEAD',
      async (made) => {
        await git(run, made.path)('switch', '--quiet', '--detach');
        await commitIn(made.path, 'a.ts');
      },
      ['1 commit that main does not contain'],
    ],
  ];

  test.each(cases)('with %s on its branch: what git remembers decides', async (_, work, why) => {
    await using repo = await gitRepo();
    const made = await create(repo.path);
    await work(made);
    await rm(made.path, { recursive: true });
    expect(await remove(repo, made)).toEqual(why.length === 0 ? { removed: true } : { removed: false, why });
    expect(await branches(repo)).toEqual(why.length === 0 ? ['main'] : ['main', 'troupe/alice']);
    expect(await worktrees(repo)).toBe(why.length === 0 ? 1 : 2);
  });

  test('one that git has forgotten as well leaves its branch only when that holds something', async () => {
    await using repo = await gitRepo();
    const [empty, full] = [await create(repo.path, 'empty'), await create(repo.path, 'full')];
    await commitIn(full.path, 'a.ts');
    for (const { path } of [empty, full]) {
      await repo.git('worktree', 'unlock', path);
      await rm(path, { recursive: true });
    }
    await repo.git('worktree', 'prune');
    expect(await remove(repo, empty)).toEqual({ removed: true });
    expect(await remove(repo, full)).toEqual({ removed: false, why: ['1 commit that main does not contain'] });
    expect(await branches(repo)).toEqual(['main', 'troupe/full']);
  });

  test('a plain folder in its place is not taken for it', async () => {
    await using repo = await gitRepo();
    const made = await create(repo.path);
    await rm(join(made.path, '.git'));
    const why = [expect.stringMatching(/^it could not be examined: .*is no checkout of its own/)];
    expect(await remove(repo, made)).toEqual({ removed: false, why });
    expect(await readFile(join(made.path, 'README.md'), 'utf8')).toBe('hello\n');
  });
});

test('an agent that still works in it, or below it, keeps it; the last to leave may have it removed', async () => {
  await using repo = await gitRepo();
  const made = await create(repo.path);
  const users = createWorktreeUsers();
  const [parentLeaves, childLeaves] = [users.enter(made.path, 'parent'), users.enter(join(made.path, 'src'), 'child')];
  const elsewhere = users.enter(`${made.path}-other`, 'stranger');
  parentLeaves();
  expect(await remove(repo, made, { users })).toEqual({ removed: false, why: ['an agent works in it (child)'] });
  expect(await readdir(made.path)).toContain('README.md');
  childLeaves();
  expect(await remove(repo, made, { users })).toEqual({ removed: true });
  elsewhere();
});

test('two that remove the same worktree at once do not get in each other’s way', async () => {
  await using repo = await gitRepo();
  const made = await create(repo.path);
  expect(await Promise.all([remove(repo, made), remove(repo, made)])).toEqual([{ removed: true }, { removed: true }]);
  expect(await branches(repo)).toEqual(['main']);
});
