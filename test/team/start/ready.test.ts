import { expect, test } from 'vitest';
import type { Pane } from '../../../src/panes/backend.js';
import { waitUntilReady } from '../../../src/team/start/ready.js';
import { fakeClock } from '../../helpers/fakeClock.js';
import { waitsFor } from '../../helpers/patient.js';
import { type TeamOnDisk, teamOnDisk } from '../../helpers/team.js';
import { membersIn } from './starting.js';

const PANE: Pane = { paneId: '%1', ownsPane: true };

/** A start of bob whose program has had `effort` of processor time, by when it is asked. */
function startOf(team: TeamOnDisk, effort: () => number | undefined) {
  const backend = {
    ...membersIn(team),
    ended: async () => undefined,
    effort: async () => effort(),
    capture: async () => 'Loading…',
  };
  let outcome: string | undefined;
  const over = waitUntilReady(team.place, backend, team.member('bob'), PANE).then(
    () => {
      outcome = 'ready';
    },
    (error: Error) => {
      outcome = error.message;
    },
  );
  return { over, outcome: () => outcome };
}

const stuck = [
  ['that does nothing', () => 300],
  ['of which nobody can tell', () => undefined],
] as const;

test.each(stuck)('a program %s has failed to start after 15 s, with what it shows', async (_, effort) => {
  const clock = fakeClock();
  await using team = await teamOnDisk({ clock, members: ['bob'] });
  const start = startOf(team, effort);
  await waitsFor(clock, 14_500, start.over);
  expect(start.outcome()).toBeUndefined();
  await waitsFor(clock, 1000, start.over);
  expect(start.outcome()).toBe('"bob" was not ready within 15 s. It shows:\nLoading…');
});

test('one that gets on, as on a busy machine, is waited for until it is ready, or stops getting on', async () => {
  const clock = fakeClock();
  await using team = await teamOnDisk({ clock, members: ['bob'] });
  const begun = clock.monotonic();
  const busy = startOf(team, () => (clock.monotonic() - begun) / 40);
  await waitsFor(clock, 60_000, busy.over);
  expect(busy.outcome()).toBeUndefined();
  await team.writeRecord('bob', { readyAt: 1 });
  await waitsFor(clock, 1000, busy.over);
  expect(busy.outcome()).toBe('ready');
});

test('one that gets on and on is given up as well, and one that is done getting on soon', async () => {
  const clock = fakeClock();
  await using team = await teamOnDisk({ clock, members: ['bob'] });
  const begun = clock.monotonic();
  const endless = startOf(team, () => clock.monotonic() - begun);
  const halfway = startOf(team, () => Math.min(clock.monotonic() - begun, 40_000));
  await waitsFor(clock, 60_000, halfway.over);
  expect([halfway.outcome(), endless.outcome()]).toEqual([
    expect.stringMatching(/^"bob" was not ready within (4[5-9]|50) s\./),
    undefined,
  ]);
  await waitsFor(clock, 80_000, endless.over);
  expect(endless.outcome()).toMatch(/^"bob" was not ready within 12\d s\./);
});

test('a moment in which the one who waits was stopped itself is nobody’s fault', async () => {
  const clock = fakeClock();
  await using team = await teamOnDisk({ clock, members: ['bob'] });
  const start = startOf(team, () => 300);
  await waitsFor(clock, 10_500, start.over);
  await clock.advance(60_000);
  await waitsFor(clock, 500, start.over);
  expect(start.outcome()).toBeUndefined();
  await team.writeRecord('bob', { readyAt: 1 });
  await waitsFor(clock, 1000, start.over);
  expect(start.outcome()).toBe('ready');
});
