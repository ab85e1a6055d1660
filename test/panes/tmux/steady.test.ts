import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../../src/host/run.js';
import { createTmux } from '../../../src/panes/tmux/tmux.js';
import { eventually } from '../../helpers/eventually.js';
import { ownServer } from '../harness.js';

test('ten members that start at once and end at once resize the pane of the lead three times at most', async () => {
  await using stage = await ownServer();
  const tmux = createTmux(run, { socketPath: stage.facts.socketPath });
  const resizes = join(stage.dir, 'resizes');
  const lead = `const { appendFileSync, writeFileSync } = require('node:fs');
process.on('SIGWINCH', () => appendFileSync(${JSON.stringify(resizes)}, 'x'));
writeFileSync(${JSON.stringify(resizes)}, '');
setInterval(() => {}, 1000);`;
  await tmux(['respawn-pane', '-k', '-t', stage.leadPane.paneId, '--', process.execPath, '-e', lead]);
  await eventually(() => readFile(resizes));
  const names = Array.from({ length: 10 }, (_, index) => `member-${index}`);
  const panes = await Promise.all(names.map((name) => stage.start(name)));
  await Promise.all(names.map((name) => stage.ready(name)));
  await eventually(async () => expect((await readFile(resizes, 'utf8')).length).toBeGreaterThan(0));
  const atWork = (await readFile(resizes, 'utf8')).length;
  await Promise.all(panes.map((pane, index) => stage.backend.close(pane, { team: 'red', member: names[index] ?? '' })));
  await eventually(async () => expect((await readFile(resizes, 'utf8')).length).toBeGreaterThan(atWork));
  expect((await readFile(resizes, 'utf8')).length).toBeLessThanOrEqual(3);
});

test('a program that gives its pane another title, and a window with another name, are still whose they are', async () => {
  await using stage = await ownServer();
  const tmux = createTmux(run, { socketPath: stage.facts.socketPath });
  const pane = await stage.start('alice');
  await stage.ready('alice');
  const fact = async (format: string) => (await tmux(['display-message', '-p', '-t', pane.paneId, format]))[0] ?? '';
  await writeFile(await fact('#{pane_tty}'), '\u001b]2;mallory\u0007');
  await eventually(async () => expect(await fact('#{pane_title}')).toBe('mallory'));
  await tmux(['rename-window', '-t', pane.windowId ?? '', 'mallory']);
  expect(await stage.backend.find({ team: 'red', member: 'alice' })).toEqual(pane);
  expect(await stage.backend.ended(pane)).toBeUndefined();
  await stage.backend.close(pane, { team: 'red', member: 'mallory' });
  expect(await stage.backend.ended(pane)).toBeUndefined();
  await stage.backend.close(pane, { team: 'red', member: 'alice' });
  expect(await stage.backend.ended(pane)).toBeDefined();
});

test('a window of another size is arranged anew, the lead with two fifths of it, until a person resizes a pane', async () => {
  await using stage = await ownServer();
  const tmux = createTmux(run, { socketPath: stage.facts.socketPath });
  const { paneId: lead, windowId: window = '' } = stage.leadPane;
  const names = ['alice', 'bob', 'carol'];
  const panes = await Promise.all(names.map((name) => stage.start(name)));
  let looks = 0;
  // Borders with news are a reason to look at once.
  const look = () =>
    stage.backend.refresh(
      panes.map((pane, index) => ({ pane, member: names[index] ?? '', state: 'idle', activity: `look ${looks++}` })),
    );
  const widths = async () => (await tmux(['list-panes', '-t', window, '-F', '#{pane_width}'])).map(Number);
  const resize = (width: number, height: number) =>
    tmux(['resize-window', '-t', window, '-x', String(width), '-y', String(height)]);

  await resize(80, 24);
  await look();
  expect(await widths()).toEqual([32, 47, 47, 47]);
  await look();
  await resize(150, 40);
  await look();
  expect(await widths()).toEqual([60, 89, 89, 89]);
  await tmux(['resize-pane', '-t', lead, '-x', '20']);
  await look();
  await resize(160, 40);
  const asTmuxDoes = await widths();
  await look();
  expect(await widths()).toEqual(asTmuxDoes);
});

test('the border of a member that was killed says so, also when nobody is left to tell tmux', async () => {
  await using stage = await ownServer();
  const tmux = createTmux(run, { socketPath: stage.facts.socketPath });
  const pane = await stage.start('alice', { role: 'lead' });
  const { pid } = await stage.ready('alice');
  const border = async () =>
    (await tmux(['display-message', '-p', '-t', pane.paneId, '#{E:pane-border-format}']))[0]?.replace(/#\[.*?\]/g, '');
  await stage.backend.refresh([{ pane, member: 'alice', state: 'idle', activity: 'Read' }]);
  expect(await border()).toBe(' alice idle Read');
  process.kill(pid, 'SIGKILL');
  await eventually(async () => expect(await border()).toBe(' alice terminated'));
  await stage.backend.refresh([{ pane, member: 'alice', state: 'exited' }]);
  expect(await border()).toBe(' alice exited');
});
