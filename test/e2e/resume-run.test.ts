import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { initRepo } from '../helpers/gitRepo.js';
import { addTemplate, heardBy, linesOf, live, resultOf, runJson } from '../helpers/headless.js';
import { timedOut } from '../helpers/ordered.js';
import { type Stage, stage } from '../helpers/program.js';

const SCRIPT = `
agents:
  team-lead:
    - { when: { user: 'Go on, please' }, reply: Gone on. }
    - { when: { user: 'The run was stopped before' }, reply: Done after all. }
    - { when: { user: 'one word', turn: 1 }, reply: [{ tool: Bash, input: { command: 'echo once >> lead' } }] }
    - { when: { tool: Bash, turn: 2 }, reply: [{ tool: Bash, input: { command: 'echo twice >> lead' } }] }
    - { when: { user: 'sleeper' }, reply: Noted. }
    - { reply: Noted by the lead. }
  sleeper:
    - { when: { user: '^sleep$' }, once: true, reply: [{ tool: Bash, input: { command: 'echo slept >> asleep; sleep 100' } }] }
    - { when: { user: 'Go on with what you were doing' }, reply: Awake again. }
    - { reply: Noted by the sleeper. }
`;

const NIGHT = `---
name: night
description: One who sleeps.
members:
  - { name: sleeper, permissionMode: bypassPermissions, prompt: sleep, worktree: true }
lead: { permissionMode: bypassPermissions }
---
Wait for the sleeper.
`;

async function night() {
  const staged = await stage(SCRIPT);
  await addTemplate(staged, 'night', NIGHT);
  const repo = join(staged.folder, 'project');
  await initRepo(repo);
  return { ...staged, repo, troupe: in_(staged, repo) };
}

const in_ =
  (staged: Stage, cwd: string): Stage['troupe'] =>
  (args, options) =>
    staged.troupe(args, { cwd, timeout: 100_000, ...options });

const asleep = (team: { home: string; repo: string }, worktree: string) => join(worktree || team.repo, 'asleep');

test('a run that a limit stopped is left stopped, and goes on under the same session with a new limit', async () => {
  await using staged = await stage(SCRIPT);
  const first = await runJson(staged, 'one word', '--permission-mode', 'bypassPermissions', '--max-turns', '1');
  expect(first.exitCode).toBe(3);
  const { session_id, team } = first.result;
  expect(JSON.parse((await staged.troupe(['ls', '--json'])).stdout)).toMatchObject([{ name: team, state: 'stopped' }]);

  const second = await runJson(staged, '--resume', session_id, '--max-turns', '5');
  expect(second).toMatchObject({ exitCode: 0, result: { session_id, team, result: 'Done after all.' } });
  expect(second.result.num_turns).toBe(2);
  expect(heardBy(staged, 'team-lead').at(-1)).toContain('one word');
  expect(await readFile(join(staged.folder, 'lead'), 'utf8')).toBe('once\n');

  // It ended well, and lies in the archive: from there too.
  const third = await runJson(staged, '--resume', session_id, 'Go', 'on,', 'please');
  expect(third).toMatchObject({ exitCode: 0, result: { session_id, team, result: 'Gone on.' } });
  expect(heardBy(staged, 'team-lead').at(-1)).toContain('Done after all.');
});

test('a run that is killed in the middle of a tool call goes on with the same members, and repeats nothing', async () => {
  await using staged = await night();
  await using run = await live(staged, ['run', 'night', '--output-format', 'stream-json'], staged.repo);
  const [init] = await eventually(() => {
    const lines = linesOf({ exitCode: 0, stdout: run.stdout(), stderr: '' });
    expect(lines[0]).toMatchObject({ subtype: 'init' });
    return lines;
  });
  const id = String(init?.['session_id']);
  const status = async () => JSON.parse((await staged.troupe(['status', '--json'])).stdout);
  const { worktree } = (await status()).members.find(({ name }: { name: string }) => name === 'sleeper');
  await eventually(() => expect(existsSync(asleep(staged, worktree))).toBe(true));

  const running = await staged.troupe(['run', '--resume', id]);
  expect(running).toMatchObject({ exitCode: 2 });
  expect(running.stderr).toContain(`its lead lives in process ${run.pid}`);

  process.kill(run.pid, 'SIGKILL');
  await run.ended();
  expect(await status()).toMatchObject({ state: 'crashed' });
  await staged.troupe(['send', 'sleeper', 'A word for later.']);
  const ended = await staged.troupe(['run', '--resume', id, '--output-format', 'json']);
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(resultOf(ended)).toMatchObject({ session_id: id, result: expect.stringContaining('') });
  const heard = heardBy(staged, 'sleeper').at(-1) ?? '';
  expect(heard).toContain('may have happened');
  expect(heard.split('A word for later.')).toHaveLength(2);
  expect(heardBy(staged, 'team-lead').join()).toContain('Awake again.');
  expect(await readFile(asleep(staged, worktree), 'utf8')).toBe('slept\n');
});

test('a run that a time-out or a signal stopped keeps its worktrees, and its members take up what they were at', async () => {
  await timedOut(async (timeout) => {
    await using staged = await night();
    const first = await staged.troupe(['run', 'night', '--output-format', 'json', '--timeout', timeout]);
    expect(first.exitCode, first.stderr).toBe(124);
    const { session_id, team } = resultOf(first);
    const [{ members }] = JSON.parse((await staged.troupe(['ls', '--json'])).stdout);
    const worktree = members.find(({ name }: { name: string }) => name === 'sleeper').worktreePath;
    expect(existsSync(asleep(staged, worktree))).toBe(true);
    const second = await staged.troupe(['run', '--resume', session_id, '--output-format', 'json']);
    expect(second.exitCode, second.stderr).toBe(0);
    expect(resultOf(second)).toMatchObject({ session_id, team });
    expect(heardBy(staged, 'team-lead').join()).toContain('Awake again.');
  });
});

test('an unknown session is an error that lists the known ones, and what is settled cannot be said again', async () => {
  await using staged = await stage(SCRIPT);
  const first = await runJson(staged, 'Hello');
  const unknown = await staged.troupe(['run', '--resume', '00000000-0000-4000-8000-000000000000']);
  expect(unknown).toMatchObject({ exitCode: 2, stdout: '' });
  expect(unknown.stderr).toContain(`${first.result.session_id} (${first.result.team})`);
  const settled = await staged.troupe(['run', '--resume', first.result.session_id, '--model', 'haiku']);
  expect(settled).toMatchObject({ exitCode: 2 });
  expect(settled.stderr).toContain('leave out --model');
});
