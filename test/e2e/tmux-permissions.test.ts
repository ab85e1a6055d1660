import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { BIN } from '../helpers/program.js';
import { type TmuxStage, tmuxStage } from '../helpers/tmuxTeam.js';
import { userServer } from '../helpers/userServer.js';

const SCRIPT = `
agents:
  team-lead: [{ reply: "Noted by the lead." }]
  worker:
    - when: { turn: 1 }
      reply: [{ tool: Bash, input: { command: "touch first" } }]
    - when: { user: "once more" }
      reply: [{ tool: Bash, input: { command: "touch second" } }]
    - reply: "Noted by the worker."
`;

const SOLO = `---
name: solo
description: One who asks.
members:
  - { name: worker, permissionMode: default, prompt: Touch a file. }
---
Wait.
`;

async function openRequest(stage: TmuxStage): Promise<string> {
  return eventually(async () => {
    const [request, ...others] = await stage.asked('permission');
    expect(request).toMatchObject({ from: 'worker', tool: 'Bash' });
    expect(others).toEqual([]);
    return request?.id ?? '';
  });
}

/** What the worker asks is allowed, then denied, from a second shell. */
async function allowThenDeny(stage: TmuxStage): Promise<void> {
  const first = await openRequest(stage);
  await stage.until('worker', 'permission');
  expect(existsSync(join(stage.repo, 'first'))).toBe(false);
  await stage.ok('allow', first);
  await eventually(() => expect(existsSync(join(stage.repo, 'first'))).toBe(true));
  await stage.until('worker', 'idle');

  await stage.tell('worker', 'once more');
  const second = await openRequest(stage);
  await stage.ok('deny', second, 'not on a Sunday');
  await stage.until('worker', 'idle');
  expect(stage.heard('worker').at(-1)).toContain('not on a Sunday');
  expect(existsSync(join(stage.repo, 'second'))).toBe(false);
}

const up = (settings: object) => ['up', 'solo', '--name', 'asks', '--settings', JSON.stringify(settings)];

test('a call that needs a permission in a pane waits for a second shell, which allows it or denies it with a reason', async () => {
  await using stage = await tmuxStage(SCRIPT);
  await stage.template('solo', SOLO);
  await stage.ok(...up({}), '--detach', '--backend', 'tmux');
  await allowThenDeny(stage);
  await stage.ok('down');
});

test('a call that needs a permission in the lead’s process waits for a second shell in the same way', async () => {
  await using stage = await tmuxStage(SCRIPT);
  await stage.template('solo', SOLO);
  const user = await userServer(stage);
  const exitCode = await user.say(user.pane, [process.execPath, BIN, ...up({}), '--backend', 'in-process']);
  await stage.untilUp('asks');
  await allowThenDeny(stage);
  expect((await stage.member('worker')).backend).toBe('in-process');
  await stage.ok('down');
  expect(await exitCode()).toBe(0);
});

test('silence about a permission in a pane ends in a denial that the model reads', async () => {
  await using stage = await tmuxStage(SCRIPT);
  await stage.template('solo', SOLO);
  await stage.ok(...up({ permissionTimeout: 1 }), '--detach', '--backend', 'tmux');
  await eventually(() => expect(stage.heard('worker').at(-1)).toContain('Nobody answered within'));
  await stage.until('worker', 'idle');
  expect(await stage.asked('permission')).toEqual([]);
  expect(existsSync(join(stage.repo, 'first'))).toBe(false);
  await stage.ok('down');
});

test('silence about a permission in the lead’s process ends in a denial too', async () => {
  await using stage = await tmuxStage(SCRIPT);
  await stage.template('solo', SOLO);
  const user = await userServer(stage);
  const exitCode = await user.say(user.pane, [
    process.execPath,
    BIN,
    ...up({ permissionTimeout: 1 }),
    '--backend',
    'in-process',
  ]);
  await eventually(() => expect(stage.heard('worker').at(-1)).toContain('Nobody answered within'));
  expect(existsSync(join(stage.repo, 'first'))).toBe(false);
  await user.type(user.pane, '/down');
  expect(await exitCode()).toBe(0);
});
