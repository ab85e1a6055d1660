import { expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { PAIR, PAIR_SCRIPT } from '../helpers/pair.js';
import { BIN } from '../helpers/program.js';
import { type TmuxStage, tmuxStage } from '../helpers/tmuxTeam.js';
import { userServer } from '../helpers/userServer.js';

const UP = [process.execPath, BIN, 'up', 'pair', '--name', 'guests'];

async function running(stage: TmuxStage): Promise<void> {
  await stage.untilUp('guests');
  for (const name of ['team-lead', 'planner', 'reviewer']) await stage.until(name, 'idle');
}

test('a user’s tmux that runs beside a team is never touched', async () => {
  await using stage = await tmuxStage(PAIR_SCRIPT);
  await stage.template('pair', PAIR);
  const user = await userServer(stage);
  const before = { traces: await stage.traces(), state: await user.state() };
  await stage.ok(...UP.slice(2), '--detach');
  await running(stage);
  expect((await stage.status()).tmux?.socketPath).not.toBe(user.socketPath);
  expect(await user.state()).toEqual(before.state);
  await stage.ok('down');
  expect({ traces: await stage.traces(), state: await user.state() }).toEqual(before);
});

const ENDS = [
  ['/down in the lead’s pane', true],
  ['troupe down in another shell', false],
] as const;

test.each(ENDS)(
  'a team that was started in a pane of the user’s tmux leaves it as it was after %s',
  async (_, typed) => {
    await using stage = await tmuxStage(PAIR_SCRIPT);
    await stage.template('pair', PAIR);
    const user = await userServer(stage);
    const before = { traces: await stage.traces(), state: await user.state() };
    const exitCode = await user.say(user.pane, UP);
    await running(stage);
    const { tmux, members } = await stage.status();
    expect(tmux?.socketPath).toBe(user.socketPath);
    expect(members.find(({ name }) => name === 'team-lead')?.pane).toBe(user.pane);
    // The lead was alone in its window, so the others are beside it.
    expect(new Set((await user.tmux('list-panes', '-a', '-F', '#{window_id}')).split('\n')).size).toBe(1);

    if (typed) await user.type(user.pane, '/down');
    else await stage.ok('down');
    expect(await exitCode()).toBe(0);
    await eventually(async () => expect({ traces: await stage.traces(), state: await user.state() }).toEqual(before));
  },
);

test.each(ENDS)(
  'a team that was started detached in the user’s tmux has a window of its own until %s',
  async (_, typed) => {
    await using stage = await tmuxStage(PAIR_SCRIPT);
    await stage.template('pair', PAIR);
    const user = await userServer(stage);
    const before = { traces: await stage.traces(), state: await user.state() };
    expect(await (await user.say(user.pane, [...UP, '--detach']))()).toBe(0);
    await running(stage);
    expect((await stage.status()).tmux?.socketPath).toBe(user.socketPath);
    const window = await user.tmux(
      'display-message',
      '-p',
      '-t',
      user.pane,
      '#{window_id} #{window_panes} #{window_active}',
    );
    expect(window).toBe('@0 1 1');

    if (typed) await stage.type('team-lead', '/down');
    else await stage.ok('down');
    await eventually(async () => expect({ traces: await stage.traces(), state: await user.state() }).toEqual(before));
  },
);

test('members do not share a window in which the user has another pane', async () => {
  await using stage = await tmuxStage(PAIR_SCRIPT);
  await stage.template('pair', PAIR);
  const user = await userServer(stage, { neighbour: true });
  const before = { traces: await stage.traces(), state: await user.state() };
  const exitCode = await user.say(user.pane, UP);
  await running(stage);
  const panes = await user.tmux('list-panes', '-a', '-F', '#{window_id} #{@troupe_agent}');
  expect(panes.split('\n').sort()).toEqual(['@0 ', '@0 ', '@1 planner', '@1 reviewer']);
  await user.type(user.pane, '/down');
  expect(await exitCode()).toBe(0);
  await eventually(async () => expect({ traces: await stage.traces(), state: await user.state() }).toEqual(before));
});

test('a terminal that said up shows the team’s own tmux until the team is down, and has its shell back then', async () => {
  await using stage = await tmuxStage(PAIR_SCRIPT);
  await stage.template('pair', PAIR);
  const user = await userServer(stage);
  const before = { traces: await stage.traces(), state: await user.state() };
  const exitCode = await user.say(user.pane, ['env', '-u', 'TMUX', '-u', 'TMUX_PANE', ...UP]);
  await running(stage);
  expect((await stage.status()).tmux?.socketPath).not.toBe(user.socketPath);
  await eventually(async () => expect(await stage.tmux('list-clients')).not.toBe(''));
  await user.type(user.pane, 'typed by a person');
  await eventually(() => expect(stage.heard('team-lead').join()).toContain('typed by a person'));
  await user.type(user.pane, '/down');
  expect(await exitCode()).toBe(0);
  await eventually(async () => expect({ traces: await stage.traces(), state: await user.state() }).toEqual(before));
});
