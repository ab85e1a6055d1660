import { expect, test } from 'vitest';
import { thisProcess } from '../../../src/host/processes.js';
import { archivedAtOf, archiveTeam, listArchive, makeTeamFolders, unarchiveTeam } from '../../../src/team/archive.js';
import { takeOver } from '../../../src/team/start/takeOver.js';
import { DEAD, teamOnDisk } from '../../helpers/team.js';

test('a team whose lead is dead is taken over, one whose lead lives is not, and the error says whose it is', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await team.file.update((file) => ({ ...file, leadProcess: { ...DEAD, claimedAt: 1 } }));
  const self = await thisProcess();
  expect((await takeOver(team.place)).leadProcess).toMatchObject(self);
  await expect(takeOver(team.place)).rejects.toThrow(`The team "red" runs: its lead lives in process ${self.pid}.`);
});

test('of those who take a team over at once, one gets it', async () => {
  await using team = await teamOnDisk();
  await team.file.update((file) => ({ ...file, leadProcess: { ...DEAD, claimedAt: 1 } }));
  const all = await Promise.allSettled(Array.from({ length: 5 }, () => takeOver(team.place)));
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('an archived team comes back as it was, but not over another of its name; the newest is first', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const before = await team.file.require();
  const clock = { ...team.place.clock, now: () => Date.UTC(2026, 0, 2, 3, 4, 5) };
  await archiveTeam(team.home, 'red', clock);
  const [only, ...others] = await listArchive(team.home);
  expect(others).toEqual([]);
  if (!only) throw new Error('nothing was archived');
  expect(only).toMatchObject({ team: { name: 'red' }, archivedAt: clock.now() });
  await unarchiveTeam(team.home, only);
  expect(await team.file.require()).toEqual(before);
  await archiveTeam(team.home, 'red', { ...clock, now: () => clock.now() + 60_000 });
  const [newest] = await listArchive(team.home);
  expect(newest?.archivedAt).toBe(clock.now() + 60_000);
  await makeTeamFolders(team.paths);
  if (newest) await expect(unarchiveTeam(team.home, newest)).rejects.toThrow('There is a team "red" by now');
  expect(archivedAtOf('red-2026-01-02T03-04-05Z-2')).toBe(clock.now());
  expect(archivedAtOf('red')).toBeUndefined();
});
