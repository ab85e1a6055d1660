import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { run } from '../../src/host/run.js';
import { git } from '../../src/worktree/git.js';
import { commitIn } from '../helpers/gitRepo.js';
import { type TmuxStage, tmuxStage } from '../helpers/tmuxTeam.js';

const SCRIPT = `
agents:
  team-lead: [{ reply: "Noted by the lead." }]
  builder: [{ reply: "Noted by the builder." }]
  other: [{ reply: "Noted by the other." }]
`;

const BUILD = `---
name: build
description: One in a worktree.
members:
  - { name: builder, worktree: true, prompt: Wait. }
---
Wait.
`;

const Down = z.object({
  keptWorktrees: z.array(
    z.object({ member: z.string(), path: z.string(), branch: z.string(), why: z.array(z.string()) }),
  ),
});

async function build(stage: TmuxStage) {
  await stage.template('build', BUILD);
  await stage.ok('up', 'build', '--name', 'works', '--detach', '--backend', 'tmux');
  const { worktree = '' } = await stage.until('builder', 'idle');
  return worktree;
}

const inside = (path: string) => git(run, path);
const down = async (stage: TmuxStage) => Down.parse(JSON.parse(await stage.ok('down', '--json')));

test('a member’s worktree starts at HEAD, on a branch of its own', async () => {
  await using stage = await tmuxStage(SCRIPT);
  const head = await commitIn(stage.repo, 'second.txt');
  const path = await build(stage);
  expect(await inside(path)('rev-parse', 'HEAD')).toBe(head);
  expect(await inside(path)('branch', '--show-current')).not.toBe('main');
  await stage.ok('down');
});

test('a worktree that holds nothing is removed with its branch at down', async () => {
  await using stage = await tmuxStage(SCRIPT);
  const before = await stage.traces();
  const path = await build(stage);
  expect(await down(stage)).toEqual({ keptWorktrees: [] });
  expect(existsSync(path)).toBe(false);
  expect(await stage.traces()).toEqual(before);
});

test('a worktree whose commits are merged is removed at down', async () => {
  await using stage = await tmuxStage(SCRIPT);
  const before = await stage.traces();
  const path = await build(stage);
  await commitIn(path, 'built.txt');
  const branch = await inside(path)('branch', '--show-current');
  await inside(stage.repo)('merge', '--no-ff', '-m', 'Merge it', branch);
  expect(await down(stage)).toEqual({ keptWorktrees: [] });
  expect(existsSync(path)).toBe(false);
  expect(await stage.traces()).toEqual(before);
});

test('a worktree with commits that are nowhere else is kept and named at down', async () => {
  await using stage = await tmuxStage(SCRIPT);
  const path = await build(stage);
  const commit = await commitIn(path, 'built.txt');
  const branch = await inside(path)('branch', '--show-current');
  const { exitCode, stderr } = await stage.troupe(['down']);
  expect(exitCode, stderr).toBe(0);
  expect(stderr).toContain('The worktree of builder was kept');
  expect(stderr).toContain(`${path}, branch ${branch}`);
  expect(await inside(stage.repo)('rev-parse', branch)).toBe(commit);
  expect(existsSync(path)).toBe(true);
});

test('a member that is added gets a worktree at HEAD by --worktree, and files that nobody committed keep it', async () => {
  await using stage = await tmuxStage(SCRIPT);
  await build(stage);
  const head = await commitIn(stage.repo, 'later.txt');
  await stage.ok('add', 'other', '--worktree', '--prompt', 'Wait.');
  const { worktree = '' } = await stage.until('other', 'idle');
  expect(await inside(worktree)('rev-parse', 'HEAD')).toBe(head);
  await run('touch', [`${worktree}/unsaved.txt`]);
  const { keptWorktrees } = await down(stage);
  expect(keptWorktrees).toMatchObject([{ member: 'other', path: worktree }]);
  expect(existsSync(`${worktree}/unsaved.txt`)).toBe(true);
});
