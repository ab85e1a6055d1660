import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { isRunning, type TmuxStage, tmuxStage } from '../helpers/tmuxTeam.js';

const SCRIPT = `
agents:
  team-lead: [{ reply: "Noted by the lead." }]
  worker:
    - when: { user: "work for long" }
      reply: [{ tool: Bash, input: { command: "touch started; exec sleep 100" } }]
    - when: { user: "work until asked" }
      once: true
      reply: [{ tool: Bash, input: { command: "touch started; while ! [ -e asked ]; do sleep 0.05; done" } }]
    - name: refuse
      when: { user: "request_id: [0-9a-f-]+" }
      capture: { request: { from: user, match: "request_id: ([0-9a-f-]+)" } }
      reply:
        - tool: SendMessage
          input: { to: team-lead, message: { type: shutdown_response, request_id: "{{request}}", approve: false, reason: "half way through" } }
    - when: { result: "half way|Rejected|stay" }
      reply: "I stay."
    - reply: "Noted by the worker."
  helper: [{ reply: "Noted by the helper." }]
`;

const SOLO = `---
name: solo
description: One who works.
members:
  - { name: worker, permissionMode: bypassPermissions, prompt: Remember the number 4711. }
lead: { permissionMode: bypassPermissions }
---
Wait.
`;

async function solo(stage: TmuxStage) {
  await stage.template('solo', SOLO);
  await stage.ok(
    'up',
    'solo',
    '--name',
    'hands',
    '--detach',
    '--backend',
    'tmux',
    '--permission-mode',
    'bypassPermissions',
  );
  return stage.until('worker', 'idle');
}

/** The worker is in the middle of a tool call. */
async function atWork(stage: TmuxStage, words: string): Promise<void> {
  await stage.ok('send', 'worker', words);
  await eventually(() => expect(existsSync(join(stage.repo, 'started'))).toBe(true));
}

test('a member that is added gets a pane, a colour, its prompt and mail, and the same request adds it only once', async () => {
  await using stage = await tmuxStage(SCRIPT);
  await solo(stage);
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
  await stage.ok('send', 'helper', 'a later word');
  await eventually(() => expect(stage.heard('helper').join()).toContain('a later word'));

  const { exitCode, stderr } = await stage.troupe(['add', 'Helper']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('There is a living member "helper" in hands already.');
  await stage.ok('down');
  expect(await stage.traces()).toMatchObject({ processes: [], panes: [], sockets: [] });
});

test('a member that is restarted, alive or dead, goes on with its history and the mail that it has not read', async () => {
  await using stage = await tmuxStage(SCRIPT);
  const first = await solo(stage);
  await stage.ok('restart', 'worker');
  const second = await stage.until('worker', 'idle');
  expect(second.pid).not.toBe(first.pid);
  expect(await isRunning(first.pid)).toBe(false);

  process.kill(second.pid, 'SIGKILL');
  await eventually(async () => expect(await stage.member('worker')).toMatchObject({ state: 'terminated' }));
  await stage.ok('send', 'worker', 'sent while it was dead');
  await stage.ok('restart', 'worker');
  await eventually(() => expect(stage.heard('worker').at(-1)).toContain('sent while it was dead'));
  expect(stage.heard('worker').at(-1)).toContain('Remember the number 4711.');
  const panes = await stage.tmux('list-panes', '-a', '-F', '#{@troupe_agent}');
  expect(panes.split('\n').sort()).toEqual(['team-lead', 'worker']);
  await stage.ok('down');
});

test('a member that says no to its shutdown stays, and the command exits 1 with the reason', async () => {
  await using stage = await tmuxStage(SCRIPT);
  await solo(stage);
  await atWork(stage, 'work until asked');
  const asking = stage.troupe(['shutdown', 'worker']);
  await eventually(async () => expect(await stage.ok('inbox', 'worker', '--json')).toContain('shutdown_request'));
  await writeFile(join(stage.repo, 'asked'), '');
  const { exitCode, stdout } = await asking;
  expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: 'worker stays: half way through' });
  await stage.until('worker', 'idle');
  await stage.ok('down');
  expect(await stage.traces()).toMatchObject({ processes: [], panes: [], sockets: [] });
});

test('a member that has stopped or works on regardless is ended by --force, with the children it started', async () => {
  await using stage = await tmuxStage(SCRIPT);
  const { pid, pane } = await solo(stage);
  await atWork(stage, 'work for long');
  process.kill(pid, 'SIGSTOP');
  await stage.ok('shutdown', 'worker', '--force');
  expect(await isRunning(pid)).toBe(false);
  expect((await stage.traces()).processes.filter((line) => line.includes('sleep 100'))).toEqual([]);
  expect((await stage.tmux('list-panes', '-a', '-F', '#{pane_id}')).split('\n')).not.toContain(pane);
  expect(await stage.member('worker')).toMatchObject({
    state: 'terminated',
    exit: { forced: true },
  });
  await stage.ok('down');
});

test('a member that does not end within its grace is ended', async () => {
  await using stage = await tmuxStage(SCRIPT);
  const { pid } = await solo(stage);
  await atWork(stage, 'work for long');
  expect(await stage.ok('shutdown', 'worker', '--grace', '1s')).toBe('worker was ended');
  expect(await isRunning(pid)).toBe(false);
  expect((await stage.traces()).processes.filter((line) => line.includes('sleep 100'))).toEqual([]);
  await stage.ok('down');
});

test('a restart begins where the member stood: an approved plan is not asked for again, a tool list of its own holds', async () => {
  await using stage = await tmuxStage(`
agents:
  team-lead: [{ reply: "Noted." }]
  planner:
    - once: true
      reply: [{ tool: ExitPlanMode, input: { plan: "I will do it." } }]
    - reply: "Noted."
`);
  await stage.template(
    'planned',
    `---
name: planned
members:
  - { name: planner, plan: true, tools: [Read, Grep], prompt: Plan it. }
lead: { permissionMode: acceptEdits }
approver: human
---
Wait.
`,
  );
  await stage.ok('up', 'planned', '--name', 'hands', '--detach', '--backend', 'tmux');
  const { requestId = '' } = await stage.until('planner', 'plan');
  await stage.ok('approve', requestId);
  await stage.until('planner', 'idle');
  await stage.ok('restart', 'planner');
  const again = await stage.until('planner', 'idle');
  expect(again).toMatchObject({ mode: 'acceptEdits' });
  await stage.ok('send', 'planner', 'go on');
  await eventually(() => expect(stage.heard('planner').at(-1)).toContain('go on'));
  const names = stage.server.log().at(-1)?.body;
  expect(JSON.stringify(names)).toContain('"name":"Grep"');
  expect(JSON.stringify(names)).not.toContain('"name":"Bash"');
  await stage.ok('down');
});

test('a name that is taken after a death takes over no worktree: an empty one goes, one that holds something is told', async () => {
  await using stage = await tmuxStage(SCRIPT);
  await solo(stage);
  for (const holds of [false, true]) {
    await stage.ok('add', 'helper', '--worktree', '--prompt', 'Wait.');
    const { worktree = '', pid } = await stage.until('helper', 'idle');
    if (holds) await writeFile(join(worktree, 'unsaved.txt'), 'work');
    process.kill(pid, 'SIGKILL');
    await eventually(async () => expect(await stage.member('helper')).toMatchObject({ state: 'terminated' }));
    const { stderr } = await stage.troupe(['add', 'helper', '--prompt', 'Wait.'], { cwd: stage.repo });
    expect(existsSync(worktree)).toBe(holds);
    if (holds) expect(stderr).toContain(`(1 file untracked): ${worktree}`);
    await stage.ok('shutdown', 'helper', '--force');
  }
  await stage.ok('down');
});
