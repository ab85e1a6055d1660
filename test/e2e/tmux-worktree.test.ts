import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { RunResult } from '../../src/host/run.js';
import { run } from '../../src/host/run.js';
import { git } from '../../src/worktree/git.js';
import { commitIn } from '../helpers/gitRepo.js';
import { type TmuxStage, type Traces, tmuxStage } from '../helpers/tmuxTeam.js';

const BUILD = `---
name: build
description: Each in a worktree.
members:
  - { name: empty, worktree: true }
  - { name: merged, worktree: true }
  - { name: kept, worktree: true }
---
Wait.
`;

const Down = z.object({
  keptWorktrees: z.array(
    z.object({ member: z.string(), path: z.string(), branch: z.string(), why: z.array(z.string()) }),
  ),
});

const inside = (path: string) => git(run, path);

interface Tree {
  readonly path: string;
  readonly branch: string;
  /** Where it began, and where its repository was then. */
  readonly began: string;
  readonly head: string;
}

let stage: TmuxStage;
let before: Traces;
const trees: Record<string, Tree> = {};
let unmerged: string;
let down: RunResult;

const treeOf = async (name: string): Promise<Tree> => {
  const { worktree: path = '' } = await stage.until(name, 'idle');
  const head = await inside(stage.repo)('rev-parse', 'HEAD');
  const began = await inside(path)('rev-parse', 'HEAD');
  return { path, branch: await inside(path)('branch', '--show-current'), began, head };
};

beforeAll(async () => {
  stage = await tmuxStage("agents: { '*': [{ reply: Noted. }] }");
  await commitIn(stage.repo, 'second.txt');
  before = await stage.traces();
  await stage.template('build', BUILD);
  await stage.ok('up', 'build', '--name', 'works', '--detach', '--backend', 'tmux');
  const [empty, merged, kept] = [await treeOf('empty'), await treeOf('merged'), await treeOf('kept')];
  await commitIn(merged.path, 'built.txt');
  await inside(stage.repo)('merge', '--no-ff', '-m', 'Merge it', merged.branch);
  unmerged = await commitIn(kept.path, 'kept.txt');

  await stage.ok('add', 'added', '--worktree');
  const added = await treeOf('added');
  await writeFile(`${added.path}/unsaved.txt`, 'work');
  Object.assign(trees, { empty, merged, kept, added });
  down = await stage.troupe(['down', '--json']);
  expect(down.exitCode, down.stderr).toBe(0);
});
afterAll(() => stage[Symbol.asyncDispose]());

test.each(['empty', 'merged', 'kept', 'added'])('a worktree starts at HEAD, on a branch of its own: %s', (name) => {
  expect(trees[name]?.began).toBe(trees[name]?.head);
  expect(trees[name]?.branch).not.toBe('main');
});

test.each(['empty', 'merged'])('one that holds nothing that is nowhere else is removed at down: %s', async (name) => {
  const { path = '', branch } = trees[name] ?? {};
  expect(existsSync(path)).toBe(false);
  expect(await inside(stage.repo)('branch', '--list', branch ?? '')).toBe('');
});

test('one with commits that are nowhere else, and one with files that nobody committed, are kept and named', async () => {
  const { kept, added } = trees;
  const { keptWorktrees } = Down.parse(JSON.parse(down.stdout));
  const byMember = keptWorktrees.toSorted((a, b) => a.member.localeCompare(b.member));
  expect(byMember.map(({ member, path, branch }) => ({ member, path, branch }))).toEqual([
    { member: 'added', path: added?.path, branch: added?.branch },
    { member: 'kept', path: kept?.path, branch: kept?.branch },
  ]);
  for (const name of ['added', 'kept']) {
    expect(down.stderr).toContain(`The worktree of ${name} was kept`);
    expect(down.stderr).toContain(`${trees[name]?.path}, branch ${trees[name]?.branch}`);
  }
  expect(await inside(stage.repo)('rev-parse', kept?.branch ?? '')).toBe(unmerged);
  expect(existsSync(`${kept?.path}/kept.txt`)).toBe(true);
  expect(existsSync(`${added?.path}/unsaved.txt`)).toBe(true);
});

test('nothing else is left', async () => {
  const { worktrees, branches, ...others } = await stage.traces();
  const { worktrees: _, branches: __, ...othersBefore } = before;
  expect(others).toEqual(othersBefore);
  expect(branches).toHaveLength(before.branches.length + 2);
  expect(worktrees.filter((line) => line.startsWith('worktree '))).toHaveLength(3);
});
