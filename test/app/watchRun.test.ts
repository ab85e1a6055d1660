import { expect, test } from 'vitest';
import { createArrivals } from '../../src/agent/arrivals.js';
import type { TurnEnd } from '../../src/agent/events.js';
import { watchRun } from '../../src/app/run/watchRun.js';
import { theWorld } from '../../src/app/services.js';
import { procStart } from '../../src/host/processes.js';
import { eventually } from '../helpers/eventually.js';
import { fakeClock } from '../helpers/fakeClock.js';
import { type TeamOnDisk, teamOnDisk } from '../helpers/team.js';

const DONE: TurnEnd = { reason: 'done', text: 'It is 42.' };

/** Watches a team whose lead has ended its turn. */
async function watching(team: TeamOnDisk, end: TurnEnd = DONE) {
  const clock = fakeClock();
  const arrivals = createArrivals();
  const stop = new AbortController();
  const watched = watchRun({
    world: { ...theWorld(), home: team.home, clock },
    team: 'red',
    arrivals,
    sessionId: 's',
    lastEnd: () => end,
    since: 0,
    line: () => {},
    over: stop.signal,
  });
  let isOver = false;
  void watched.then(() => {
    isOver = true;
  });
  return {
    arrivals,
    stop,
    watched,
    /** Whether it is over after so many more looks. */
    async after(looks: number) {
      for (let look = 0; look < looks && !isOver; look++) {
        await eventually(() => expect(isOver || clock.sleeping() > 0).toBe(true));
        if (!isOver) await clock.pass(200);
      }
      return isOver;
    },
  };
}

test('mail that the lead has taken out of its inbox, and not begun with, keeps a run from its end', async () => {
  await using team = await teamOnDisk();
  await team.writeRecord('team-lead');
  const { arrivals, after, watched } = await watching(team);
  arrivals.add({ text: 'Wait, there is more.', from: 'other', mail: [], wakes: true });
  expect(await after(6)).toBe(false);
  arrivals.take();
  expect(await after(6)).toBe(true);
  expect(await watched).toEqual({ subtype: 'success', exitCode: 0, text: 'It is 42.', errors: [] });
});

test('mail that waits for a member that is idle keeps a run from its end', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  for (const name of ['team-lead', 'bob']) await team.writeRecord(name);
  await team.inbox('bob').deliver({ from: 'team-lead', text: 'One more thing.' });
  const { after, stop, watched } = await watching(team);
  expect(await after(6)).toBe(false);
  stop.abort('SIGTERM');
  expect(await watched).toMatchObject({ subtype: 'interrupted', exitCode: 143, text: 'It is 42.' });
});

test('a team that another shell is just taking down is no success: its run waits for its own end', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await team.writeRecord('team-lead');
  await team.writeRecord('bob', { state: 'terminated', endTold: true });
  const shell = { pid: process.ppid, procStart: (await procStart(process.ppid)) ?? '' };
  await team.file.update((file) => ({ ...file, leadProcess: { ...shell, claimedAt: 0 } }));
  const { after, stop, watched } = await watching(team);
  expect(await after(6)).toBe(false);
  stop.abort('SIGTERM');
  expect(await watched).toMatchObject({ subtype: 'interrupted', exitCode: 143 });
});

test('a lead whose turn was interrupted has not done its work', async () => {
  await using team = await teamOnDisk();
  await team.writeRecord('team-lead');
  const { after, watched } = await watching(team, { reason: 'aborted', text: 'It is' });
  expect(await after(6)).toBe(true);
  expect(await watched).toMatchObject({ subtype: 'error_during_execution', exitCode: 1, text: 'It is' });
});

test('a run that is stopped by a fault says that the fault is its own', async () => {
  await using team = await teamOnDisk();
  await team.writeRecord('team-lead', { state: 'working' });
  const { stop, watched } = await watching(team);
  stop.abort(new Error('oops'));
  expect(await watched).toMatchObject({
    subtype: 'error_during_execution',
    exitCode: 1,
    errors: ['That is a fault of troupe itself: oops'],
  });
});

test.each(['team-lead', 'bob', 'carol'])(
  'while %s is at work a run is not over, and it is once all rest',
  async (worker) => {
    await using team = await teamOnDisk({ members: ['bob', 'carol'] });
    for (const name of ['team-lead', 'bob', 'carol'])
      await team.writeRecord(name, { state: name === worker ? 'working' : 'idle' });
    const { after, watched } = await watching(team);
    expect(await after(4)).toBe(false);
    await team.writeRecord(worker, { state: 'idle' });
    expect(await after(6)).toBe(true);
    expect(await watched).toMatchObject({ subtype: 'success' });
  },
);
