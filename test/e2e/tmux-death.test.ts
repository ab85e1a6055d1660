import { expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { PAIR, PAIR_SCRIPT } from '../helpers/pair.js';
import { isRunning, type TmuxStage, tmuxStage } from '../helpers/tmuxTeam.js';

async function pair(stage: TmuxStage): Promise<void> {
  await stage.template('pair', PAIR);
  await stage.ok('up', 'pair', '--name', 'deaths', '--detach', '--backend', 'tmux');
  await stage.until('planner', 'idle');
  await stage.until('reviewer', 'idle');
}

test('a member that is killed is terminated at the next look from another process, and its lead hears of it within 3 s', async () => {
  await using stage = await tmuxStage(PAIR_SCRIPT);
  await pair(stage);
  const { pid } = await stage.member('planner');
  process.kill(pid, 'SIGKILL');
  expect(await stage.member('planner')).toMatchObject({ state: 'terminated' });
  await eventually(async () => {
    const mail = await stage.ok('inbox', 'team-lead', '--json');
    expect(mail).toContain('teammate_exited');
  }, 3000);
  await eventually(() => expect(stage.heard('team-lead').join()).toContain('The teammate planner has ended'));
  expect(await stage.member('reviewer')).toMatchObject({ state: 'idle' });
  await stage.ok('down');
  expect((await stage.traces()).sockets).toEqual([]);
});

test('when the lead is killed too, the team is crashed, and its members leave by themselves within 30 s', async () => {
  await using stage = await tmuxStage(PAIR_SCRIPT);
  await pair(stage);
  const lead = await stage.member('team-lead');
  const planner = await stage.member('planner');
  const reviewer = await stage.member('reviewer');
  process.kill(lead.pid, 'SIGKILL');
  expect(await stage.status()).toMatchObject({ state: 'crashed', lead: { alive: false } });
  process.kill(planner.pid, 'SIGKILL');
  expect(await stage.member('planner')).toMatchObject({ state: 'terminated' });
  await eventually(async () => expect(await isRunning(reviewer.pid)).toBe(false), 30_000);
  expect(await stage.member('reviewer')).toMatchObject({ state: 'exited', exit: { code: 0 } });
  await stage.ok('down');
  expect(await stage.traces()).toMatchObject({ processes: [], panes: [], sockets: [] });
});

test('a member whose pane somebody closes says how it ended, and the others go on', async () => {
  await using stage = await tmuxStage(PAIR_SCRIPT);
  await pair(stage);
  const { pid, pane } = await stage.member('planner');
  await stage.tmux('kill-pane', '-t', pane);
  await eventually(async () => expect(await isRunning(pid)).toBe(false));
  expect(await stage.member('planner')).toMatchObject({ state: 'exited', exit: { signal: 'SIGHUP' } });
  expect(await stage.status()).toMatchObject({ state: 'running', lead: { alive: true } });
  await stage.ok('down');
});

test('a lead whose pane somebody closes takes its team down', async () => {
  await using stage = await tmuxStage(PAIR_SCRIPT);
  await stage.template('pair', PAIR);
  const before = await stage.traces();
  await pair(stage);
  const { pane } = await stage.member('team-lead');
  await stage.tmux('kill-pane', '-t', pane);
  await eventually(async () => expect(await stage.traces()).toEqual(before), 30_000);
  expect(await stage.ok('ls')).toContain('No teams.');
});
