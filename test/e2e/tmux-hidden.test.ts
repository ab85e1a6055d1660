import { expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { PAIR, PAIR_SCRIPT } from '../helpers/pair.js';
import { BIN } from '../helpers/program.js';
import { isRunning, type TmuxStage, tmuxStage } from '../helpers/tmuxTeam.js';
import { userServer } from '../helpers/userServer.js';

/** Who is in whose company, by name. */
async function companies(stage: TmuxStage): Promise<string[]> {
  const rows = (await stage.tmux('list-panes', '-a', '-F', '#{window_id} #{@troupe_agent}')).split('\n');
  const windows = new Map<string, string[]>();
  for (const row of rows) {
    const [window = '', agent = ''] = row.split(' ');
    windows.set(window, [...(windows.get(window) ?? []), agent]);
  }
  return [...windows.values()].map((agents) => agents.sort().join()).sort();
}

const TOGETHER = ['planner,reviewer,team-lead'];
const APART = ['planner,team-lead', 'reviewer'];

async function pair(stage: TmuxStage): Promise<void> {
  await stage.template('pair', PAIR);
  await stage.ok('up', 'pair', '--name', 'away', '--detach', '--backend', 'tmux');
  for (const name of ['team-lead', 'planner', 'reviewer']) await stage.until(name, 'idle');
}

async function kill(pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  await eventually(async () => expect(await isRunning(pid)).toBe(false));
}

test.concurrent('a member that is put away works on, stays away through a restart and a resume, and comes back when it is shown', async () => {
  await using stage = await tmuxStage(PAIR_SCRIPT);
  // A lead that is killed may hold a lock just then.
  const traces = async () => ({ ...(await stage.traces()), locks: [] });
  const before = await traces();
  await pair(stage);
  expect(await companies(stage)).toEqual(TOGETHER);

  expect(await stage.ok('hide', 'reviewer')).toBe('reviewer is put away');
  expect(await companies(stage)).toEqual(APART);
  await stage.tell('reviewer', 'Still there?');
  await eventually(() => expect(stage.heard('reviewer').at(-1)).toContain('Still there?'));

  await stage.ok('restart', 'reviewer');
  expect(await stage.member('reviewer')).toMatchObject({ hidden: true });
  expect(await companies(stage)).toEqual(APART);

  await kill((await stage.member('team-lead')).pid);
  await stage.ok('resume', 'away', '--detach');
  expect(await stage.member('reviewer')).toMatchObject({ hidden: true });
  expect(await companies(stage)).toEqual(APART);

  expect(await stage.ok('show', 'reviewer')).toBe('reviewer is shown');
  expect(await companies(stage)).toEqual(TOGETHER);
  expect(await stage.member('reviewer')).not.toHaveProperty('hidden');
  await stage.ok('down');
  expect(await traces()).toEqual(before);
});

test.concurrent('who was put away is so in the tmux server of a resumed team too, and nobody else', async () => {
  await using stage = await tmuxStage(PAIR_SCRIPT);
  await pair(stage);
  await stage.ok('hide', 'reviewer');
  await stage.ok('down');
  await stage.ok('resume', 'away', '--detach');
  const { members } = await stage.status();
  expect(members.filter(({ hidden }) => hidden === true).map(({ name }) => name)).toEqual(['reviewer']);
  expect(await companies(stage)).toEqual(APART);
  await stage.ok('down');
});

test.concurrent('in the user’s tmux, hiding and showing touch no pane or window of theirs, and leave nothing', async () => {
  await using stage = await tmuxStage(PAIR_SCRIPT);
  await stage.template('pair', PAIR);
  const user = await userServer(stage);
  const mine = await user.tmux('new-window', '-d', '-P', '-F', '#{window_id}', '/usr/bin/env cat');
  await user.tmux('split-window', '-d', '-t', mine, '/usr/bin/env', 'cat');
  const before = { traces: await stage.traces(), state: await user.state() };
  const exitCode = await user.say(user.pane, [process.execPath, BIN, 'up', 'pair', '--name', 'away']);
  await stage.untilUp('away');
  for (const name of ['team-lead', 'planner', 'reviewer']) await stage.until(name, 'idle');
  const theirs = () => user.tmux('list-panes', '-t', mine, '-F', '#{window_layout} #{pane_id} #{pane_pid}');
  const untouched = await theirs();
  const front = () => user.tmux('display-message', '-p', '-t', 'work', '#{window_id} #{pane_id}');
  const inFront = await front();

  await stage.ok('hide', '--all');
  expect(await user.tmux('list-panes', '-t', user.pane, '-F', '#{pane_id}')).toBe(user.pane);
  await stage.ok('show', 'planner');
  expect({ theirs: await theirs(), front: await front() }).toEqual({ theirs: untouched, front: inFront });

  await user.type(user.pane, '/down');
  expect(await exitCode()).toBe(0);
  await eventually(async () => expect({ traces: await stage.traces(), state: await user.state() }).toEqual(before));
});

test.concurrent('a team without panes has none to put away', async () => {
  await using stage = await tmuxStage(PAIR_SCRIPT);
  await stage.template('pair', PAIR);
  const run = stage.troupe(['run', 'pair', '--name', 'inside', '--keep']);
  expect((await run).exitCode).toBe(0);
  const { exitCode, stderr } = await stage.troupe(['hide', 'planner', '-t', 'inside']);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 1,
    stderr: expect.stringContaining('have no panes: they run inside the process of its lead'),
  });
});
