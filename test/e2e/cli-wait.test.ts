import { readdir, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { addTemplate, live } from '../helpers/headless.js';
import { looksInto } from '../helpers/looks.js';
import { stage } from '../helpers/program.js';
import { tmuxStage } from '../helpers/tmuxTeam.js';

const SCRIPT = `
agents:
  team-lead: [{ reply: Noted. }]
  worker:
    - { when: { user: 'work until asked' }, once: true, reply: [{ tool: Bash, input: { command: 'touch started; while ! [ -e asked ]; do sleep 0.05; done' } }] }
    - { when: { user: 'plan it' }, once: true, reply: [{ tool: ExitPlanMode, input: { plan: Dig. } }] }
    - { when: { user: 'touch it' }, once: true, reply: [{ tool: Bash, input: { command: touch touched } }] }
    - { reply: Noted. }
  idler: [{ reply: Noted. }]
`;

const TWO = `---
name: two
description: One who works, one who waits.
members:
  - { name: worker, permissionMode: default }
  - { name: idler }
permissions: { allow: ['Bash(while *)', 'Bash(touch started; *)'] }
---
Wait.
`;

/** It has found its team, and is told of what changes there. */
async function expectWatching(pid: number): Promise<void> {
  const folder = `/proc/${pid}/fd`;
  const open = (await readdir(folder)).map((fd) => readlink(join(folder, fd)).catch(() => ''));
  expect(await Promise.all(open)).toContain('anon_inode:inotify');
}

test('it waits for the end of a turn, for a request, for a death, and says which of several came', async () => {
  await using team = await tmuxStage(SCRIPT);
  await team.template('two', TWO);
  await team.ok('up', 'two', '--detach', '--backend', 'tmux');
  await team.ok('wait', '--timeout', '80s');
  const wait = (...args: string[]) => team.troupe(['wait', ...args, '--timeout', '60s', '--json']);

  // Mail that is not read yet is work to come: it does not count as idle.
  await team.tell('worker', 'touch it');
  const blocked = await wait('worker', 'idler', '--for', 'blocked', '--any');
  expect(blocked.exitCode, blocked.stderr).toBe(0);
  expect(JSON.parse(blocked.stdout)).toMatchObject([
    { name: 'worker', state: 'working', waitingFor: 'permission', came: true },
    { name: 'idler', state: 'idle', came: false },
  ]);
  const [{ requestId }] = JSON.parse(blocked.stdout);
  await team.ok('deny', requestId);
  const idle = await wait('worker', 'idler');
  expect(JSON.parse(idle.stdout).map(({ came }: { came: boolean }) => came)).toEqual([true, true]);

  // Idle, but with a task of its own: not done.
  await team.ok('tasks', 'add', 'Dig', '--owner', 'worker');
  expect((await team.troupe(['wait', 'worker', '--for', 'done', '--timeout', '1500ms'])).exitCode).toBe(124);
  const done = wait('worker', '--for', 'done');
  await team.ok('tasks', 'done', '1');
  expect((await done).exitCode).toBe(0);

  const dead = wait('worker', '--for', 'dead');
  const instead = wait('worker', 'idler', '--for', 'blocked');
  const { pid } = await team.member('worker');
  process.kill(pid, 'SIGKILL');
  expect(JSON.parse((await dead).stdout)).toEqual([{ name: 'worker', state: 'terminated', came: true }]);
  expect((await instead).exitCode).toBe(4);
  await using gone = await live(team, ['wait', 'idler', '--for', 'dead', '--timeout', '60s'], team.repo);
  await eventually(() => expectWatching(gone.pid));
  await team.ok('down');
  expect((await gone.ended()).exitCode).toBe(0);
});

test('it waits for the members of a team that runs inside one process, from any shell', async () => {
  const waits = "[{ tool: Bash, input: { command: 'while ! [ -e asked ]; do sleep 0.05; done' } }]";
  const lead = `team-lead: [{ when: { turn: 1 }, reply: ${waits} }, { reply: Noted. }]`;
  await using staged = await stage(SCRIPT.replace('team-lead: [{ reply: Noted. }]', lead));
  await addTemplate(staged, 'two', TWO);
  await using run = await live(staged, ['run', 'two', 'work', '--name', 'inside', '--keep']);
  await eventually(async () => expect(await looksInto(staged).teams()).toEqual(['inside running']));
  const wait = (...args: string[]) => staged.troupe(['wait', ...args, '-t', 'inside', '--timeout', '60s']);
  const idle = await wait('idler');
  expect(idle.exitCode, idle.stderr).toBe(0);
  const dead = wait('worker', 'idler', '--for', 'dead');
  await writeFile(join(staged.folder, 'asked'), '');
  expect((await dead).exitCode, (await dead).stderr).toBe(0);
  expect((await run.ended()).exitCode).toBe(0);
});
