import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { deadlyPath, expectNextStart, WITHOUT_PANE } from '../helpers/killedStart.js';
import { PAIR, PAIR_SCRIPT } from '../helpers/pair.js';
import { BIN } from '../helpers/program.js';
import { tmuxStage, tree } from '../helpers/tmuxTeam.js';

// At every other step: test/chaos/start-killed.test.ts.
test.concurrent('a start that is killed before its pane is made is not in the way of the next one, nor of the end', () =>
  expectNextStart(WITHOUT_PANE));

test.concurrent('a start that is killed and not made again ends with its team, and its secrets with it', async () => {
  await using stage = await tmuxStage(PAIR_SCRIPT);
  await stage.template('pair', PAIR);
  await stage.ok('up', 'pair', '--name', 'hands', '--detach', '--backend', 'tmux');
  const env = { ...stage.env, PATH: await deadlyPath(stage, WITHOUT_PANE) };
  await expect(stage.troupe(['add', 'helper', '--prompt', 'Help them.'], { env })).rejects.toThrow('SIGKILL');
  expect(await readFile(join(stage.home, 'teams/hands/launch/helper.json'), 'utf8')).toContain('test-key');
  await stage.ok('wait', '--for', 'idle', '--timeout', '20s', 'planner');
  await stage.ok('down');
  expect(await stage.traces()).toMatchObject({ processes: [], panes: [], sockets: [] });
  for (const path of await tree(stage.home))
    if ((await stat(join(stage.home, path))).isFile())
      expect(await readFile(join(stage.home, path), 'utf8'), path).not.toContain('test-key');
});

test.concurrent.each(['ignore', 'pipe'] as const)('a teammate is one whatever its stdin is: %s', async (stdin) => {
  await using stage = await tmuxStage(`${PAIR_SCRIPT}  helper: [{ reply: "Noted by the helper." }]\n`);
  await stage.template('pair', PAIR);
  await stage.ok('up', 'pair', '--name', 'hands', '--detach', '--backend', 'tmux');
  const env = { ...stage.env, PATH: await deadlyPath(stage, WITHOUT_PANE) };
  await expect(stage.troupe(['add', 'helper', '--prompt', 'Help them.'], { env })).rejects.toThrow('SIGKILL');
  const launch = join(stage.home, 'teams/hands/launch/helper.json');
  const child = spawn(process.execPath, [BIN, 'teammate', '--launch', launch], {
    env: stage.env,
    stdio: [stdin, 'ignore', 'ignore'],
  });
  const ended = once(child, 'exit');
  await stage.until('helper', 'idle');
  expect(stage.heard('helper')[0]).toContain('Help them.');
  await stage.ok('send', 'helper', 'And then?');
  await eventually(() => expect(stage.heard('helper').at(-1)).toContain('And then?'));
  await stage.until('helper', 'idle');
  await stage.ok('down');
  expect((await ended)[0]).toBe(0);
});
