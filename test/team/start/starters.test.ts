import { expect, test } from 'vitest';
import { thisProcess } from '../../../src/host/processes.js';
import { LEAD } from '../../../src/team/member.js';
import { untilStarted } from '../../../src/team/start/starters.js';
import { fakeClock } from '../../helpers/fakeClock.js';
import { someProgram, waitsFor } from '../../helpers/patient.js';
import { DEAD, teamOnDisk } from '../../helpers/team.js';

const never = new AbortController().signal;

/** Whether a promise is settled by now, everything on disk done. */
async function isOver(promise: Promise<unknown>): Promise<boolean> {
  const open = Symbol();
  const settled = await Promise.race([promise, new Promise((resolve) => setImmediate(() => resolve(open)))]);
  return settled !== open;
}

test('a team in which nobody is being started, or only by somebody who died, keeps nobody waiting; nor does the lead itself', async () => {
  await using team = await teamOnDisk({ clock: fakeClock(), members: ['bob'] });
  await team.join({ ...team.member('bob'), reservedBy: DEAD });
  await team.join({ ...team.member(LEAD), reservedBy: await thisProcess() });
  await untilStarted(team.place, never);
});

test('who is being started is waited for, until it is written down', async () => {
  const clock = fakeClock();
  await using team = await teamOnDisk({ clock, members: ['bob'] });
  await team.join({ ...team.member('carol'), reservedBy: await thisProcess() });
  const started = untilStarted(team.place, never);
  await clock.advance(50);
  expect(await isOver(started)).toBe(false);
  await team.join(team.member('carol'));
  await clock.advance(50);
  await started;
});

test('a start that was stopped in its middle keeps nobody for longer than a start may take, nor does one’s own end', async () => {
  const clock = fakeClock();
  await using team = await teamOnDisk({ clock });
  await using starter = await someProgram('sleep 60');
  await team.join({ ...team.member('carol'), reservedBy: starter.process });
  const started = untilStarted(team.place, never);
  await waitsFor(clock, 21_000, started);
  await started;
  const end = new AbortController();
  const stopped = untilStarted(team.place, end.signal);
  stopped.catch(() => {});
  await clock.advance(50);
  end.abort();
  await expect(stopped).rejects.toThrow();
});
