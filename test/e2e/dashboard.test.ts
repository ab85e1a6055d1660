import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { BIN } from '../helpers/program.js';
import { STARTS_WITHIN, tmuxStage } from '../helpers/tmuxTeam.js';
import { userServer } from '../helpers/userServer.js';

const SCRIPT = `
agents:
  bob:
    - when: { turn: 1 }
      reply: [{ tool: Bash, input: { command: "touch first && touch second" } }]
    - reply: "Noted by bob."
  '*': [{ reply: "Noted." }]
`;
const SOLO = `---
name: solo
description: One who asks.
members: [{ name: bob, permissionMode: default, prompt: Touch two files. }]
---
Wait.
`;

test('a team in one process is looked at full-screen, at its lead’s prompt and from elsewhere: a call is allowed, a message sent, and both terminals are as before', async () => {
  await using stage = await tmuxStage(SCRIPT);
  await stage.template('solo', SOLO);
  const user = await userServer(stage);
  const press = (pane: string, ...keys: string[]) => user.tmux('send-keys', '-t', pane, ...keys);
  const shows = (pane: string, ...words: string[]) =>
    eventually(async () => {
      const screen = await user.tmux('capture-pane', '-p', '-t', pane);
      for (const some of words) expect(screen).toContain(some);
    }, STARTS_WITHIN);
  const isGivenBack = (pane: string) =>
    eventually(async () =>
      expect(await user.tmux('display-message', '-p', '-t', pane, '#{alternate_on} #{cursor_flag}')).toBe('0 1'),
    );

  const argv = ['up', 'solo', '--name', 'red', '--backend', 'in-process'];
  const ended = await user.say(user.pane, [process.execPath, BIN, ...argv]);
  await stage.untilUp('red');
  await stage.until('bob', 'permission');
  await user.type(user.pane, '/dashboard');
  await shows(user.pane, 'red running', 'Waiting for you 1', 'waits for permission', 'Transcript of team-lead');
  await press(user.pane, 'Down');
  await shows(user.pane, '▸ bob', 'Transcript of bob', 'a allow');
  await press(user.pane, 'a');
  await shows(user.pane, '[bob] asks to use Bash', 'touch first && touch second', 'Allow this to bob?');
  expect(existsSync(join(stage.repo, 'first'))).toBe(false);
  await press(user.pane, 'y');
  await shows(user.pane, 'Allowed bob', 'Nothing waits for you.', 'Noted by bob.');
  expect(existsSync(join(stage.repo, 'second'))).toBe(true);
  await press(user.pane, 'q');
  await isGivenBack(user.pane);
  await user.type(user.pane, '/status');
  await shows(user.pane, 'bob: idle');

  const pane = await user.tmux('new-window', '-d', '-P', '-F', '#{pane_id}');
  const left = await user.say(pane, [process.execPath, BIN, 'attach', 'bob', '-t', 'red']);
  await shows(pane, '▸ Transcript of bob', 'Noted by bob.');
  await press(pane, 's');
  await shows(pane, 'To bob:');
  await user.type(pane, 'a word from elsewhere');
  await shows(pane, 'Sent to bob.');
  await eventually(() => expect(stage.heard('bob').at(-1)).toContain('a word from elsewhere'));
  await press(pane, 'q');
  expect(await left()).toBe(0);
  await isGivenBack(pane);

  await stage.ok('down');
  expect(await ended()).toBe(0);
});
