import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../src/host/run.js';
import { git } from '../../src/worktree/git.js';
import { fieldOf } from '../agent/background/taskBench.js';
import { tool } from '../agent/harness.js';
import { eventually } from '../helpers/eventually.js';
import { commitIn } from '../helpers/gitRepo.js';
import { subagentBench } from './subagentBench.js';

/** An agent in a worktree that does `act` in its directory. */
const worker = (act: (cwd: string) => Promise<unknown>) =>
  subagentBench({
    repository: true,
    replies: [[{ calls: ['Bash'] }, { text: 'done' }]],
    tools: () => [
      tool('Bash', async ({ cwd }) => {
        await act(cwd);
        return 'ok';
      }),
    ],
  });

const worktrees = async (cwd: string) => (await git(run, cwd)('worktree', 'list')).split('\n').length;

test('it works in a worktree of its own and is told so; one that holds nothing is gone with its branch', async () => {
  const places: string[] = [];
  await using bench = await worker(async (cwd) => places.push(cwd));
  expect(await bench.call({ isolation: 'worktree' })).not.toContain('worktree');
  const [record] = await bench.files.agents();
  expect(places).toEqual([join(bench.cwd, '.claude/worktrees', record?.agentId ?? '')]);
  expect(record).toMatchObject({ cwd: places[0], worktree: { path: places[0], branch: `troupe/${record?.agentId}` } });
  expect(bench.models()[0]?.requests[0]?.system.join('\n')).toContain(`git worktree of your own, on branch troupe/`);
  expect(await worktrees(bench.cwd)).toBe(1);
  expect(await git(run, bench.cwd)('branch', '--list', 'troupe/*')).toBe('');
  expect(await git(run, bench.cwd)('status', '--porcelain')).toBe('');
});

test.each<[string, (cwd: string) => Promise<unknown>]>([
  ['a file', (cwd) => writeFile(join(cwd, 'new.txt'), 'x')],
  ['a commit', (cwd) => commitIn(cwd, 'new.txt')],
])('one that holds %s is kept, with path and branch in the result', async (_, act) => {
  await using bench = await worker(act);
  const text = await bench.call({ isolation: 'worktree' });
  const [record] = await bench.files.agents();
  expect(text).toContain(`kept in the worktree ${record?.worktree?.path}, branch ${record?.worktree?.branch}]`);
  expect(existsSync(join(record?.worktree?.path ?? '', 'new.txt'))).toBe(true);
  expect(existsSync(join(bench.cwd, 'new.txt'))).toBe(false);
});

test('a background agent’s notice names what was kept', async () => {
  await using bench = await worker((cwd) => commitIn(cwd, 'new.txt'));
  await bench.call({ isolation: 'worktree', runInBackground: true });
  await eventually(() => expect(bench.arrivals).toHaveLength(1));
  const [record] = await bench.files.agents();
  expect(fieldOf(bench.arrivals[0]?.text, 'worktree-path')).toBe(record?.worktree?.path);
  expect(fieldOf(bench.arrivals[0]?.text, 'worktree-branch')).toBe(record?.worktree?.branch);
});

test('where there can be no worktree the call is refused: nothing runs in the main checkout', async () => {
  let ran = 0;
  await using bench = await worker(async () => ran++);
  await rm(join(bench.cwd, '.git'), { recursive: true });
  await expect(bench.call({ isolation: 'worktree' })).rejects.toThrow('is not in a git repository');
  expect([ran, bench.models().length, (await bench.files.agents()).length, bench.registry.all().length]).toEqual([
    0, 0, 0, 0,
  ]);
});

test('one that is gone on with is in its worktree again; where that has vanished, it is an error that names it', async () => {
  const places: string[] = [];
  await using bench = await subagentBench({
    repository: true,
    replies: [[{ calls: ['Bash'] }, { text: 'one' }, { calls: ['Bash'] }, { text: 'two' }]],
    tools: () => [
      tool('Bash', async ({ cwd }) => {
        places.push(cwd);
        await writeFile(join(cwd, 'new.txt'), 'x');
        return 'ok';
      }),
    ],
  });
  await bench.call({ isolation: 'worktree' });
  const [{ agentId = '', worktree } = {}] = await bench.files.agents();
  await bench.tell(agentId, 'more');
  await eventually(() => expect(bench.arrivals).toHaveLength(1));
  expect(places).toEqual([worktree?.path, worktree?.path]);
  await rm(worktree?.path ?? '', { recursive: true });
  await expect(bench.tell(agentId, 'and more')).rejects.toThrow(
    `The worktree ${worktree?.path} cannot be gone on with`,
  );
  expect(await bench.files.agents()).toMatchObject([{ status: 'completed' }]);
  // It was not started, so it can be asked again.
  await expect(bench.tell(agentId, 'and more')).rejects.toThrow('cannot be gone on with');
});
