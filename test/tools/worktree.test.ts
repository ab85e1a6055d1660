import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createOwnWorktree } from '../../src/app/tools/ownWorktree.js';
import { systemIds } from '../../src/host/ids.js';
import { run } from '../../src/host/run.js';
import { createEnterWorktreeTool, createExitWorktreeTool } from '../../src/tools/worktree.js';
import { listWorktrees } from '../../src/worktree/git.js';
import { commitIn, type GitRepo, gitRepo } from '../helpers/gitRepo.js';
import { toolContext, use } from './context.js';

function tools(repo: GitRepo) {
  const opened = new Set<string>();
  const port = createOwnWorktree({ run, ids: systemIds, agent: 'bob', settings: undefined, opened });
  const [enter, exit] = [createEnterWorktreeTool(port), createExitWorktreeTool(port)];
  return {
    opened,
    enter: (input: object = {}, cwd = repo.path) => use(enter, input, toolContext(cwd)),
    exit: async (input: object) => use(exit, input, toolContext(repo.path)),
    exists: (path: string) =>
      stat(path).then(
        () => true,
        () => false,
      ),
  };
}

it('goes to a new worktree, whose folder is open to the agent, and back with nothing left when nothing was done', async () => {
  await using repo = await gitRepo();
  const { enter, exit, exists, opened } = tools(repo);
  const before = await repo.git('for-each-ref');
  const path = join(repo.path, '.claude/worktrees/mine');
  await mkdir(join(repo.path, 'sub'));
  const entered = await enter({ name: 'mine' }, join(repo.path, 'sub'));
  expect(entered.cwd).toBe(path);
  expect(JSON.parse(String(entered.content))).toMatchObject({ worktreePath: path, worktreeBranch: 'troupe/mine' });
  expect([...opened]).toEqual([path]);
  await expect(enter({ name: 'other' })).rejects.toThrow(`You are in the worktree ${path} already. Leave it first.`);

  const left = await exit({ action: 'remove' });
  expect(left.cwd).toBe(join(repo.path, 'sub'));
  expect(JSON.parse(String(left.content))).toMatchObject({ action: 'remove', originalCwd: join(repo.path, 'sub') });
  expect(await exists(path)).toBe(false);
  expect(await repo.git('for-each-ref')).toBe(before);
  expect([...opened]).toEqual([]);
});

it('removes what holds files and commits only when told so, and lists them', async () => {
  await using repo = await gitRepo();
  const { enter, exit, exists } = tools(repo);
  const { cwd = '' } = await enter();
  expect(cwd).toMatch(/\/bob-[a-f0-9]{6}$/);
  await commitIn(cwd, 'kept.txt');
  await writeFile(join(cwd, 'new file.txt'), 'x');
  await writeFile(join(cwd, 'README.md'), 'changed');
  await expect(exit({ action: 'remove' })).rejects.toThrow(
    /holds what is nowhere else: README\.md, "?new file\.txt"?, commit [a-f0-9]+ change kept\.txt\. .*discard_changes: true/,
  );
  expect(await exists(join(cwd, 'new file.txt'))).toBe(true);
  const left = await exit({ action: 'remove', discard_changes: true });
  expect(JSON.parse(String(left.content)).discarded).toHaveLength(3);
  expect(await exists(cwd)).toBe(false);
  expect(await listWorktrees(repo.git)).toHaveLength(1);
  expect(await repo.git('branch', '--list', 'troupe/*')).toBe('');
});

it('keeps a worktree on demand, goes back to it by its path, and never removes what it has not made', async () => {
  await using repo = await gitRepo();
  const first = tools(repo);
  const { cwd = '' } = await first.enter({ name: 'mine' });
  await first.exit({ action: 'keep' });
  expect((await listWorktrees(repo.git)).find(({ path }) => path === cwd)).not.toHaveProperty('lock');
  const again = await first.enter({ path: '.claude/worktrees/mine' });
  expect(again.cwd).toBe(cwd);
  await expect(first.exit({ action: 'remove', discard_changes: true })).rejects.toThrow(
    /was there before EnterWorktree/,
  );
  expect((await first.exit({ action: 'keep' })).cwd).toBe(repo.path);
  expect(await first.exists(cwd)).toBe(true);
});

it('says what would be right', async () => {
  await using repo = await gitRepo();
  const { enter, exit } = tools(repo);
  expect(await exit({ action: 'remove' })).toMatchObject({ content: expect.stringContaining('nothing to leave') });
  await expect(enter({ name: 'a', path: 'b' })).rejects.toThrow('not both');
  await expect(enter({ name: '../out' })).rejects.toThrow('cannot name a worktree');
  await expect(enter({ path: '/tmp' })).rejects.toThrow('/tmp is no worktree of this repository. Worktrees: none');
  await expect(enter({ path: repo.path })).rejects.toThrow('is no worktree of this repository');
  await expect(exit({ action: 'keep', discard_changes: true })).rejects.toThrow('for action "remove" only');
});

it('asks before it discards or goes elsewhere, and not before it leaves', async () => {
  await using repo = await gitRepo();
  const port = createOwnWorktree({ run, ids: systemIds, agent: 'bob', settings: undefined, opened: new Set() });
  const [enter, exit] = [createEnterWorktreeTool(port), createExitWorktreeTool(port)];
  const access = (tool: typeof enter, input: object) => tool.prepare(input, toolContext(repo.path)).access;
  expect(access(enter, { name: 'x' })).toEqual({ kind: 'other', specifier: 'x' });
  expect(access(exit, { action: 'keep' })).toEqual({ kind: 'none' });
  expect(access(exit, { action: 'remove', discard_changes: true })).toEqual({ kind: 'other', specifier: 'discard' });
});
