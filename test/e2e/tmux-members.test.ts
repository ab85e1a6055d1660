import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { isRunning, type TmuxStage, tmuxStage } from '../helpers/tmuxTeam.js';

const SCRIPT = `
agents:
  team-lead: [{ reply: "Noted by the lead." }]
  planner:
    - once: true
      reply: [{ tool: ExitPlanMode, input: { plan: "I will do it." } }]
    - reply: "Noted."
  worker: &worker
    - when: { user: "work for long at [a-z]+" }
      capture: { file: { from: user, match: "work for long at ([a-z]+)" } }
      reply: [{ tool: Bash, input: { command: "touch {{file}}; exec sleep 100" } }]
    - when: { user: "work until asked" }
      once: true
      reply: [{ tool: Bash, input: { command: "touch at-work; while ! [ -e asked ]; do sleep 0.05; done" } }]
    - name: refuse
      when: { user: "request_id: [0-9a-f-]+" }
      capture: { request: { from: user, match: "request_id: ([0-9a-f-]+)" } }
      reply:
        - tool: SendMessage
          input: { to: team-lead, message: { type: shutdown_response, request_id: "{{request}}", approve: false, reason: "half way through" } }
    - when: { result: "half way|Rejected|stay" }
      reply: "I stay."
    - reply: "Noted by the worker."
  stubborn: *worker
  deaf: *worker
  slow: *worker
  helper: [{ reply: "Noted by the helper." }]
  '*': [{ reply: "Noted." }]
`;

const TEAM = `---
name: many
description: Each test has a member of its own.
members:
  - { name: worker, permissionMode: bypassPermissions, prompt: Remember the number 4711. }
  - { name: stubborn, permissionMode: bypassPermissions }
  - { name: deaf, permissionMode: bypassPermissions }
  - { name: slow, permissionMode: bypassPermissions }
  - { name: planner, plan: true, tools: [Read, Grep], prompt: Plan it. }
lead: { permissionMode: bypassPermissions }
approver: human
---
Wait.
`;

let stage: TmuxStage;
beforeAll(async () => {
  stage = await tmuxStage(SCRIPT);
  await stage.template('many', TEAM);
  const flags = ['--detach', '--backend', 'tmux', '--permission-mode', 'bypassPermissions'];
  await stage.ok('up', 'many', '--name', 'hands', ...flags);
});
afterAll(async () => {
  await using _ = stage;
  await stage.ok('down');
  expect(await stage.traces()).toMatchObject({ processes: [], panes: [], sockets: [] });
});

/** The member is in the middle of a tool call. */
async function atWork(member: string, words: string, file: string): Promise<void> {
  await stage.tell(member, words);
  await eventually(() => expect(existsSync(join(stage.repo, file))).toBe(true));
}

const panes = async () => (await stage.tmux('list-panes', '-a', '-F', '#{@troupe_agent}')).split('\n');
const sleepers = async () => (await stage.traces()).processes.filter((line) => line.includes('sleep 100'));

test('a member that is added gets a pane, a colour, its prompt and mail, and the same request adds it only once', async () => {
  const add = ['add', 'helper', '--prompt', 'Help the worker.', '--color', 'pink', '--request-id', 'r1'];
  await stage.ok(...add);
  const first = await stage.until('helper', 'idle');
  expect(stage.heard('helper').join()).toContain('Help the worker.');
  expect(first.color).toBe('pink');
  expect(await stage.tmux('display-message', '-p', '-t', first.pane, '#{@troupe_team} #{@troupe_agent}')).toBe(
    'hands helper',
  );
  await stage.ok(...add);
  expect(await stage.member('helper')).toMatchObject({ pid: first.pid, pane: first.pane });
  await stage.tell('helper', 'a later word');
  await eventually(() => expect(stage.heard('helper').join()).toContain('a later word'));

  const { exitCode, stderr } = await stage.troupe(['add', 'Helper']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('There is a living member "helper" in hands already.');
});

test('a member that is restarted, alive or dead, goes on with its history and the mail that it has not read', async () => {
  const first = await stage.until('worker', 'idle');
  await stage.ok('restart', 'worker');
  const second = await stage.until('worker', 'idle');
  expect(second.pid).not.toBe(first.pid);
  expect(await isRunning(first.pid)).toBe(false);

  process.kill(second.pid, 'SIGKILL');
  await stage.until('worker', 'terminated');
  await stage.tell('worker', 'sent while it was dead');
  await stage.ok('restart', 'worker');
  await eventually(() => expect(stage.heard('worker').at(-1)).toContain('sent while it was dead'));
  expect(stage.heard('worker').at(-1)).toContain('Remember the number 4711.');
  expect((await panes()).filter((name) => name === 'worker')).toHaveLength(1);
});

test('a member that says no to its shutdown stays, and the command exits 1 with the reason', async () => {
  await stage.until('stubborn', 'idle');
  await atWork('stubborn', 'work until asked', 'at-work');
  const asking = stage.troupe(['shutdown', 'stubborn']);
  await eventually(async () => {
    const types = (await stage.mail('stubborn')).map(({ type }) => type);
    expect(types).toContain('shutdown_request');
  });
  await writeFile(join(stage.repo, 'asked'), '');
  const { exitCode, stdout } = await asking;
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: 'stubborn stays: half way through' });
  await stage.until('stubborn', 'idle');
  expect(await panes()).toContain('stubborn');
});

test('a member that works on regardless is ended by --force, with the children it started', async () => {
  const { pid } = await stage.until('deaf', 'idle');
  await atWork('deaf', 'work for long at one', 'one');
  await stage.ok('shutdown', 'deaf', '--force');
  expect(await isRunning(pid)).toBe(false);
  expect(await sleepers()).toEqual([]);
  expect(await panes()).not.toContain('deaf');
  expect(await stage.member('deaf')).toMatchObject({ state: 'terminated', exit: { forced: true } });
});

test('a member that does not end within its grace is ended', async () => {
  const { pid } = await stage.until('slow', 'idle');
  await atWork('slow', 'work for long at two', 'two');
  expect(await stage.ok('shutdown', 'slow', '--grace', '1s')).toBe('slow was ended');
  expect(await isRunning(pid)).toBe(false);
  expect(await sleepers()).toEqual([]);
});

test('a restart begins where the member stood: an approved plan is not asked for again, a tool list of its own holds', async () => {
  const { requestId = '' } = await stage.until('planner', 'plan');
  await stage.ok('approve', requestId);
  const { mode } = await stage.until('planner', 'idle');
  expect(mode).not.toBe('plan');
  await stage.ok('restart', 'planner');
  expect(await stage.until('planner', 'idle')).toMatchObject({ mode });
  await stage.tell('planner', 'go on');
  await eventually(() => expect(stage.heard('planner').at(-1)).toContain('go on'));
  expect(stage.heard('planner').at(-1)).toContain('"name":"Grep"');
  expect(stage.heard('planner').at(-1)).not.toContain('"name":"Bash"');
});

test('a name that is taken after a death takes over no worktree: an empty one goes, one that holds something is told', async () => {
  for (const holds of [false, true]) {
    await stage.ok('add', 'digger', '--worktree', '--prompt', 'Wait.');
    const { worktree = '', pid } = await stage.until('digger', 'idle');
    if (holds) await writeFile(join(worktree, 'unsaved.txt'), 'work');
    process.kill(pid, 'SIGKILL');
    await stage.until('digger', 'terminated');
    const { stderr } = await stage.troupe(['add', 'digger', '--prompt', 'Wait.']);
    expect(existsSync(worktree)).toBe(holds);
    if (holds) expect(stderr).toContain(`(1 file untracked): ${worktree}`);
    await stage.ok('shutdown', 'digger', '--force');
  }
});
