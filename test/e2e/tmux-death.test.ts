import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { Status } from '../helpers/looks.js';
import { PAIR, PAIR_SCRIPT } from '../helpers/pair.js';
import { isRunning, type TmuxStage, tmuxStage } from '../helpers/tmuxTeam.js';

const FOUR = PAIR.replace(
  '---\nWait',
  `  - { name: builder, prompt: Wait. }
  - { name: tester, prompt: Wait. }
---
Wait`,
);

async function up(stage: TmuxStage, template: string): Promise<void> {
  await stage.template('pair', template);
  await stage.ok('up', 'pair', '--name', 'deaths', '--detach', '--backend', 'tmux');
  for (const { name } of (await stage.status()).members) await stage.until(name, 'idle');
}

describe('one team, whose members die one after the other,', () => {
  let stage: TmuxStage;
  beforeAll(async () => {
    stage = await tmuxStage(`${PAIR_SCRIPT}  '*': [{ reply: Noted. }]\n`);
    await up(stage, FOUR);
  });
  afterAll(async () => {
    await using _ = stage;
    await stage.ok('down');
    expect(await stage.traces()).toMatchObject({ processes: [], panes: [], sockets: [] });
  });

  test('has a killed one terminated at the next look from another process, and its lead hears of it', async () => {
    const { pid } = await stage.member('planner');
    process.kill(pid, 'SIGKILL');
    await eventually(async () => expect(await isRunning(pid)).toBe(false));
    const { members } = Status.parse(JSON.parse(await stage.ok('status', '--json')));
    expect(members.find(({ name }) => name === 'planner')).toMatchObject({ state: 'terminated' });
    await eventually(async () => {
      const mail = await stage.mail('team-lead');
      expect(mail.map(({ type }) => type)).toContain('teammate_exited');
    });
    await eventually(() =>
      expect(stage.heard('team-lead').join()).toContain('The teammate planner has ended by SIGKILL'),
    );
    expect(await stage.member('reviewer')).toMatchObject({ state: 'idle' });
  });

  test('has one whose pane somebody closes say how it ended, and the others go on', async () => {
    const { pid, pane } = await stage.member('builder');
    await stage.tmux('kill-pane', '-t', pane);
    await eventually(async () => expect(await isRunning(pid)).toBe(false));
    expect(await stage.member('builder')).toMatchObject({ state: 'exited', exit: { signal: 'SIGHUP' } });
    expect(await stage.status()).toMatchObject({ state: 'running', lead: { alive: true } });
  });

  test('is crashed when its lead is killed too, and the others leave by themselves', async () => {
    const [lead, tester, reviewer] = await Promise.all(['team-lead', 'tester', 'reviewer'].map(stage.member));
    if (!lead || !tester || !reviewer) return expect.fail();
    process.kill(lead.pid, 'SIGKILL');
    await eventually(async () => expect(await isRunning(lead.pid)).toBe(false));
    expect(await stage.status()).toMatchObject({ state: 'crashed', lead: { alive: false } });
    process.kill(tester.pid, 'SIGKILL');
    await stage.until('tester', 'terminated');
    await eventually(async () => expect(await isRunning(reviewer.pid)).toBe(false), 100_000);
    expect(await stage.member('reviewer')).toMatchObject({ state: 'exited', exit: { code: 0 } });
  });
});

test('a lead whose pane somebody closes takes its team down', async () => {
  await using stage = await tmuxStage(PAIR_SCRIPT);
  const before = await stage.traces();
  await up(stage, PAIR);
  const { pane } = await stage.member('team-lead');
  await stage.tmux('kill-pane', '-t', pane);
  await eventually(async () => expect(await stage.traces()).toEqual(before), 100_000);
  expect(await stage.ok('ls')).toContain('No teams.');
});
