import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { claimToEnd } from '../../src/app/end/claimToEnd.js';
import { theWorld } from '../../src/app/services.js';
import { isAlive, killGroup, type ProcessRef, procStart, thisProcess } from '../../src/host/processes.js';
import { start } from '../../src/host/run.js';
import { claimAsLead } from '../../src/team/leadClaim.js';
import { LEAD } from '../../src/team/member.js';
import { reserveSlot } from '../../src/team/start/slot.js';
import { eventually } from '../helpers/eventually.js';
import { DEAD, type TeamOnDisk, teamOnDisk } from '../helpers/team.js';

/** A process that lives until it is told to end, and does something then. */
async function starter(atEnd = ':'): Promise<ProcessRef & AsyncDisposable & { readonly exited: Promise<unknown> }> {
  const script = `trap '${atEnd}; exit' TERM; echo up; while :; do sleep 0.05; done`;
  const child = await start('/bin/sh', ['-c', script]);
  await new Promise((resolve) => child.stdout?.once('data', resolve));
  return {
    pid: child.pid,
    procStart: (await procStart(child.pid)) ?? '',
    exited: child.exited,
    async [Symbol.asyncDispose]() {
      killGroup(child.pid);
      await child.exited;
    },
  };
}

const ref = ({ pid, procStart: started }: ProcessRef): ProcessRef => ({ pid, procStart: started });
const worldOf = (team: TeamOnDisk) => ({ ...theWorld(), home: team.home });
const owned = (team: TeamOnDisk, owner: ProcessRef) =>
  team.file.update((file) => ({ ...file, leadProcess: { ...ref(owner), claimedAt: 0 } }));

test('a start whose lead is not there yet is told to stop, and is waited for until it has undone itself', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await using up = await starter(`rm -r ${team.paths.root}`);
  await owned(team, up);
  await team.join({ ...team.member(LEAD), reservedBy: ref(up) });
  expect(await claimToEnd(worldOf(team), 'red')).toBeUndefined();
  await up.exited;
  expect(existsSync(team.paths.root)).toBe(false);
});

test('a member that somebody is just adding to a team that works is waited for, and ends with it', async () => {
  await using team = await teamOnDisk();
  await using lead = await starter();
  await using add = await starter();
  await owned(team, lead);
  await team.writeRecord(LEAD, { ...ref(lead), readyAt: 1 });
  await team.join({ ...team.member('carol'), reservedBy: ref(add) });
  let claimed: Awaited<ReturnType<typeof claimToEnd>>;
  const claiming = claimToEnd(worldOf(team), 'red').then((result) => (claimed = result));
  await eventually(async () =>
    expect((await team.file.require()).leadProcess).toMatchObject({ pid: (await thisProcess()).pid }),
  );
  expect(claimed).toBeUndefined();
  await team.join(team.member('carol'));
  await claiming;
  expect(claimed).toMatchObject({ owners: [ref(lead)], team: { members: [{ name: LEAD }, { name: 'carol' }] } });
  expect([await isAlive(lead), await isAlive(add)]).toEqual([true, true]);
});

test('a team whose starter and lead are dead is claimed at once; a start that does not end holds up nobody in a hurry', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await owned(team, DEAD);
  await team.join({ ...team.member('bob'), reservedBy: DEAD });
  expect(await claimToEnd(worldOf(team), 'red')).toMatchObject({ owners: [] });
  await using stuck = await starter();
  await owned(team, stuck);
  await team.join({ ...team.member('bob'), reservedBy: ref(stuck) });
  expect(await claimToEnd(worldOf(team), 'red', { hurry: AbortSignal.abort() })).toMatchObject({
    owners: [ref(stuck)],
  });
});

test('once a team is being taken down nobody joins it, unless who did that has died', async () => {
  await using team = await teamOnDisk();
  await using down = await starter();
  const join = () =>
    reserveSlot(team.place, { name: 'erin', agentType: 'general-purpose', model: 'm', mode: 'default', cwd: team.cwd });
  await team.file.update((file) => ({ ...file, leadProcess: { ...ref(down), claimedAt: 0, ends: true } }));
  await expect(join()).rejects.toMatchObject({
    message: `The team "red" is just being taken down, by process ${down.pid}.`,
    exitCode: 1,
  });
  expect((await team.file.require()).members).toHaveLength(1);
  await team.file.update((file) => ({ ...file, leadProcess: { ...DEAD, claimedAt: 0, ends: true } }));
  expect((await join()).member.name).toBe('erin');
  await claimToEnd(worldOf(team), 'red');
  expect(await team.file.require()).toMatchObject({ leadProcess: { ...(await thisProcess()), ends: true } });
});

test('a team that another process takes down is left to that, which only force hurries; where that has died its end goes on', async () => {
  await using team = await teamOnDisk();
  await using lead = await starter();
  await team.writeRecord(LEAD, { ...ref(lead), readyAt: 1 });
  await using first = await starter();
  await team.file.update((file) => ({ ...file, leadProcess: { ...ref(first), claimedAt: 0, ends: true } }));
  const waiting = claimToEnd(worldOf(team), 'red');
  await using hurried = await starter(`rm -r ${team.paths.root}`);
  killGroup(first.pid);
  expect(await waiting).toMatchObject({ owners: [ref(lead)] });
  await team.file.update((file) => ({ ...file, leadProcess: { ...ref(hurried), claimedAt: 0, ends: true } }));
  expect(await claimToEnd(worldOf(team), 'red', { force: true })).toBeUndefined();
});

test('a lead takes its team from whoever has started it, or from the dead, but from nobody who ends it', async () => {
  await using team = await teamOnDisk();
  await using up = await starter();
  await using down = await starter();
  const self = await thisProcess();
  await owned(team, up);
  await team.join({ ...team.member(LEAD), reservedBy: ref(up) });
  await claimAsLead(team.place, 's1');
  expect(await team.file.require()).toMatchObject({ leadProcess: self, leadSessionId: 's1' });
  await owned(team, DEAD);
  await claimAsLead(team.place, 's2');
  await owned(team, down);
  await expect(claimAsLead(team.place, 's3')).rejects.toThrow(
    `The team "red" is process ${down.pid}'s by now: it was taken down, or gone on with, before its lead began.`,
  );
  expect(await team.file.require()).toMatchObject({ leadProcess: ref(down), leadSessionId: 's2' });
});
