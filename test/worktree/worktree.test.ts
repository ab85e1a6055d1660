import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run } from '../../src/host/run.js';
import { UserError } from '../../src/util/errors.js';
import { git } from '../../src/worktree/git.js';
import type { WorktreeState } from '../../src/worktree/inspect.js';
import { commitIn, type GitRepo, gitRepo } from '../helpers/gitRepo.js';
import { tempDir } from '../helpers/tempDir.js';
import { branches, create, inspect, remove } from './making.js';

describe('creating', () => {
  test('a worktree starts from the commit that is checked out, not from the default branch', async () => {
    await using repo = await gitRepo();
    await repo.git('switch', '--quiet', '-c', 'feature');
    const head = await repo.commit('feature.ts');

    const made = await create(repo.path);

    expect(made).toEqual({
      path: join(repo.path, '.claude/worktrees/alice'),
      branch: 'troupe/alice',
      base: head,
      into: 'feature',
    });
    expect(await git(run, made.path)('rev-parse', 'HEAD')).toBe(head);
    expect(await git(run, made.path)('branch', '--show-current')).toBe('troupe/alice');
  });

  test('a worktree is locked while it is in use and never shows up in the status of the project', async () => {
    await using repo = await gitRepo();
    await create(repo.path);
    await create(repo.path, 'bob');
    expect(await repo.git('status', '--porcelain')).toBe('');
    expect(await repo.git('worktree', 'list', '--porcelain')).toContain(
      `locked in use by troupe, process ${process.pid} (`,
    );
    const exclude = await readFile(join(repo.path, '.git/info/exclude'), 'utf8');
    expect(exclude.match(/^\/\.claude\/worktrees\/$/gm)).toHaveLength(1);
  });

  test('a detached HEAD is merged into by its commit', async () => {
    await using repo = await gitRepo();
    const head = await repo.commit('a.ts');
    await repo.git('switch', '--quiet', '--detach');
    expect(await create(repo.path)).toMatchObject({ base: head, into: head });
  });

  test('a branch ahead of the remote’s default branch is what a worktree starts from', async () => {
    await using upstream = await gitRepo();
    await using dir = await tempDir();
    const path = join(dir.path, 'clone');
    await run('git', ['clone', '--quiet', upstream.path, path]);
    const inside = git(run, path);
    await inside('config', 'user.name', 'Test');
    await inside('config', 'user.email', 'test@example.com');
    await inside('switch', '--quiet', '-c', 'feature');
    for (const file of ['a.ts', 'b.ts', 'c.ts']) await commitIn(path, file);
    const made = await create(path);
    expect(made).toMatchObject({ base: await inside('rev-parse', 'HEAD'), into: 'feature' });
    expect(await git(run, made.path)('rev-list', '--count', 'origin/HEAD..HEAD')).toBe('3');
    // Nothing tracks the remote: a push by mistake would go to its default branch.
    await expect(git(run, made.path)('rev-parse', '@{upstream}')).rejects.toThrow();
  });

  test('work that began before others committed is merged without undoing theirs', async () => {
    await using repo = await gitRepo();
    const made = await create(repo.path);
    await repo.commit('since.ts');
    await commitIn(made.path, 'work.ts');
    await repo.git('merge', '--quiet', '--no-ff', '-m', 'merge', made.branch);
    expect((await readdir(repo.path)).sort()).toEqual(['.claude', '.git', 'README.md', 'since.ts', 'work.ts']);
    expect(await remove(repo, made)).toEqual({ removed: true });
  });

  test('a symbolic link that leads out of the project is no place for a worktree', async () => {
    await using repo = await gitRepo();
    await using elsewhere = await tempDir();
    await symlink(elsewhere.path, join(repo.path, '.claude'));
    await expect(create(repo.path)).rejects.toThrow(/leads out of the project/);
    expect(await readdir(elsewhere.path)).toEqual([]);
    expect(await branches(repo)).toEqual(['main']);
  });

  test('a worktree that is asked for inside another one lies beside it, and starts from that one', async () => {
    await using repo = await gitRepo();
    const outer = await create(repo.path, 'outer');
    const head = await commitIn(outer.path, 'b.ts');
    const inner = await create(outer.path, 'inner');
    expect(inner).toMatchObject({ path: join(repo.path, '.claude/worktrees/inner'), base: head, into: outer.branch });
  });

  test('a submodule has its own worktrees, inside its own folder', async () => {
    await using repo = await gitRepo();
    await using other = await gitRepo();
    await repo.git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', other.path, 'sub');
    const made = await create(join(repo.path, 'sub'));
    expect(made.path).toBe(join(repo.path, 'sub/.claude/worktrees/alice'));
  });

  test('eight at once all succeed and leave no stray branch', async () => {
    await using repo = await gitRepo();
    const names = Array.from({ length: 8 }, (_, index) => `member-${index}`);
    await Promise.all(names.map((name) => create(repo.path, name)));
    expect(await branches(repo)).toEqual(['main', ...names.map((name) => `troupe/${name}`)]);
    const exclude = await readFile(join(repo.path, '.git/info/exclude'), 'utf8');
    expect(exclude.match(/worktrees/g)).toHaveLength(1);
  });

  test('a folder outside of git is refused, and so is a repository without a commit', async () => {
    await using dir = await tempDir();
    await expect(create(dir.path)).rejects.toThrow(/not in a git repository/);
    await run('git', ['init', '--quiet', dir.path]);
    await expect(create(dir.path)).rejects.toThrow(/has no commit/);
  });

  test.each(['../up', '-rf', 'a b', 'x.lock', '', 'a/b', '.git', 'a..b', 'x'.repeat(201)])(
    '%j is refused as a name',
    async (name) => {
      await using repo = await gitRepo();
      await expect(create(repo.path, name)).rejects.toThrow(UserError);
      expect(await branches(repo)).toEqual(['main']);
    },
  );

  test('a name may hold that of a team and that of a member', async () => {
    await using repo = await gitRepo();
    const name = `${'é'.repeat(64)}-${'b'.repeat(64)}-1f`;
    expect(await create(repo.path, name)).toMatchObject({ branch: `troupe/${name}` });
  });

  test('a creation that fails leaves no branch, no worktree, and what was in its way untouched', async () => {
    await using repo = await gitRepo();
    const inTheWay = join(repo.path, '.claude/worktrees/alice');
    await mkdir(inTheWay, { recursive: true });
    await writeFile(join(inTheWay, 'mine.txt'), 'mine');
    await expect(create(repo.path)).rejects.toThrow(/already exists/);
    expect(await branches(repo)).toEqual(['main']);
    expect(await readdir(inTheWay)).toEqual(['mine.txt']);
  });

  test('a checkout hook that fails takes the worktree and the branch back', async () => {
    await using repo = await gitRepo();
    const hook = join(repo.path, '.git/hooks/post-checkout');
    await writeFile(hook, '#!/bin/sh\necho no disk >&2\nexit 1\n');
    await chmod(hook, 0o755);
    await expect(create(repo.path)).rejects.toThrow(/no disk/);
    expect(await branches(repo)).toEqual(['main']);
    expect((await repo.git('worktree', 'list')).split('\n')).toHaveLength(1);

    await rm(hook);
    await expect(create(repo.path)).resolves.toMatchObject({ branch: 'troupe/alice' });
  });

  test('an earlier branch is taken away when it holds nothing, and is an error when it does', async () => {
    await using repo = await gitRepo();
    await repo.git('branch', 'troupe/alice');
    const made = await create(repo.path);
    await commitIn(made.path, 'work.ts');
    await repo.git('worktree', 'unlock', made.path);
    await repo.git('worktree', 'remove', made.path);
    await expect(create(repo.path)).rejects.toThrow(/troupe\/alice exists and holds commits/);
    expect(await branches(repo)).toEqual(['main', 'troupe/alice']);
  });

  test('a worktree whose folder was deleted by hand can be made again', async () => {
    await using repo = await gitRepo();
    const made = await create(repo.path);
    await rm(made.path, { recursive: true });
    await expect(create(repo.path)).resolves.toEqual(made);
  });

  test('a worktree that is there already is an error that names it', async () => {
    await using repo = await gitRepo();
    const made = await create(repo.path);
    await expect(create(repo.path)).rejects.toThrow(made.path);
  });
});

describe('holding', () => {
  const unchanged = { changed: false, why: [], commitsAhead: 0 };
  const cases: [what: string, work: (path: string, repo: GitRepo) => Promise<unknown>, state: WorktreeState][] = [
    ['nothing', async () => {}, unchanged],
    [
      'an untracked file',
      (path) => writeFile(join(path, 'new.ts'), ''),
      { changed: true, why: ['1 file untracked'], commitsAhead: 0 },
    ],
    [
      'a staged file',
      async (path) => {
        await writeFile(join(path, 'new.ts'), '');
        await git(run, path)('add', 'new.ts');
      },
      { changed: true, why: ['1 file staged'], commitsAhead: 0 },
    ],
    [
      'a modified file',
      (path) => writeFile(join(path, 'README.md'), 'other'),
      { changed: true, why: ['1 file modified'], commitsAhead: 0 },
    ],
    [
      'a commit',
      (path) => commitIn(path, 'new.ts'),
      { changed: true, why: ['1 commit that main does not contain'], commitsAhead: 1 },
    ],
    [
      'a commit on a detached HEAD',
      async (path) => {
        await git(run, path)('switch', '--quiet', '--detach');
        await commitIn(path, 'new.ts');
      },
      { changed: true, why: ['1 commit that main does not contain'], commitsAhead: 1 },
    ],
    [
      'a commit that the starting branch has merged',
      async (path, repo) => {
        await commitIn(path, 'new.ts');
        await repo.git('merge', '--quiet', '--no-ff', '-m', 'merge', 'troupe/alice');
      },
      unchanged,
    ],
    [
      'ignored files only',
      async (path, repo) => {
        await writeFile(join(repo.path, '.git/info/exclude'), '\n*.log\n', { flag: 'a' });
        await writeFile(join(path, 'out.log'), 'noise');
      },
      unchanged,
    ],
    [
      'an untracked file that the user told git not to show',
      async (path, repo) => {
        await repo.git('config', 'status.showUntrackedFiles', 'no');
        await writeFile(join(path, 'new.ts'), '');
      },
      { changed: true, why: ['1 file untracked'], commitsAhead: 0 },
    ],
  ];

  test.each(cases)('%s: told as it is, and removed only when that loses nothing', async (_, work, state) => {
    await using repo = await gitRepo();
    const made = await create(repo.path);
    await work(made.path, repo);

    expect(await inspect(made)).toEqual(state);
    const result = await remove(repo, made);
    const { changed, why } = state;
    expect(result).toEqual(changed ? { removed: false, why } : { removed: true });
    expect(await branches(repo)).toEqual(changed ? ['main', 'troupe/alice'] : ['main']);
    expect(existsSync(join(repo.path, '.claude/worktrees/alice'))).toBe(changed);
  });

  test('a question that cannot be answered counts as a change', async () => {
    await using repo = await gitRepo();
    const made = await create(repo.path);
    const unknown = { changed: true, why: [expect.stringMatching(/^it could not be examined: /)], commitsAhead: 0 };
    expect(await inspect({ ...made, into: 'nowhere' })).toEqual(unknown);
    await rm(join(made.path, '.git'));
    expect(await inspect(made)).toEqual(unknown);
    expect(await inspect({ ...made, path: join(repo.path, 'gone') })).toEqual(unknown);
  });

  test('files in the way of git status, whose names hold spaces and newlines, are counted', async () => {
    await using repo = await gitRepo();
    const made = await create(repo.path);
    await writeFile(join(made.path, 'a b\nc'), '');
    await writeFile(join(made.path, 'README.md'), 'x');
    expect((await inspect(made)).why).toEqual(['1 file untracked', '1 file modified']);
  });
});

test("git's own environment does not lead to another repository", async () => {
  await using repo = await gitRepo();
  await using other = await gitRepo();
  const poisoned: typeof run = (file, args, options) =>
    run(file, args, { ...options, env: { PATH: process.env['PATH'] ?? '', GIT_DIR: join(other.path, '.git') } });
  await create(repo.path, 'alice', { run: poisoned });
  expect(await branches(repo)).toEqual(['main', 'troupe/alice']);
  expect(await branches(other)).toEqual(['main']);
});
