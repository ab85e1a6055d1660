import { type ChildProcess, spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { markEnvironment } from '../../src/host/children.js';
import { isAlive, type ProcessRef, procStart } from '../../src/host/processes.js';
import type { Backend } from '../../src/panes/backend.js';
import { readRunRecord } from '../../src/team/runRecord.js';
import { openRejections, type ShutdownOptions, shutdownMember } from '../../src/team/shutdown.js';
import { startMember } from '../../src/team/start/lifecycle.js';
import { eventually } from '../helpers/eventually.js';
import { fakeClock } from '../helpers/fakeClock.js';
import { DEAD, type TeamOnDisk, teamOnDisk } from '../helpers/team.js';
import { depsIn, membersIn, requestIn } from './start/starting.js';

/** Small programs in the place of a member; what they start is ended with the test. */
async function programsIn(team: TeamOnDisk) {
  const children: ChildProcess[] = [];
  const launch = async (file: string, args: readonly string[], mark?: string): Promise<ProcessRef> => {
    const env = {
      PATH: process.env['PATH'] ?? '',
      ...(mark && markEnvironment({ member: mark, home: team.home.root })),
    };
    const child = spawn(file, args, { detached: true, stdio: ['ignore', 'pipe', 'ignore'], env });
    children.push(child);
    await new Promise((resolve) => child.stdout?.once('data', resolve));
    const pid = child.pid ?? 0;
    return { pid, procStart: (await procStart(pid)) ?? 'gone' };
  };
  return {
    launch,
    /** A member `bob` that runs this JavaScript. */
    async bob(code: string) {
      const ref = await launch(process.execPath, ['-e', `${code}; setInterval(() => {}, 1000); console.log('up')`]);
      await team.writeRecord('bob', { ...ref, backend: 'tmux', state: 'working' });
      return ref;
    },
    [Symbol.asyncDispose]: async () => {
      for (const { pid } of children) {
        try {
          if (pid !== undefined) process.kill(-pid, 'SIGKILL');
        } catch {
          // It has ended already.
        }
      }
    },
  };
}

async function end(team: TeamOnDisk, options: Partial<ShutdownOptions>, backend?: Backend) {
  const file = await team.file.require();
  const member = file.members.find(({ name }) => name === 'bob') ?? team.member('bob');
  const deps = { place: team.place, home: team.home.root, sender: { from: 'user' }, backend };
  return shutdownMember(deps, file, member, { graceMs: 200, ...options });
}

/** Ends itself as soon as it is asked, as a member's harness does. */
const polite = (team: TeamOnDisk) => {
  const asked = `${team.paths.inboxes}/bob.d/new`;
  return `const fs = require('fs'); setInterval(() => { if (fs.existsSync(${JSON.stringify(asked)}) && fs.readdirSync(${JSON.stringify(asked)}).length > 0) process.exit(0); }, 20)`;
};
const DEAF = '0';
const STUBBORN = "process.on('SIGTERM', () => {})";

test('asked, it ends by itself within its grace', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await using programs = await programsIn(team);
  const bob = await programs.bob(polite(team));
  expect(await end(team, { graceMs: 60_000, reason: 'enough' })).toEqual({ how: 'ended' });
  expect(await isAlive(bob)).toBe(false);
  expect(await team.mail('bob')).toMatchObject([{ type: 'shutdown_request', payload: { reason: 'enough' } }]);
});

test('without an answer in its grace it gets SIGTERM, and the record says that it was forced', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await using programs = await programsIn(team);
  const bob = await programs.bob(DEAF);
  expect(await end(team, {})).toEqual({ how: 'forced' });
  expect(await isAlive(bob)).toBe(false);
  expect(await readRunRecord(team.paths.runRecord('bob'))).toMatchObject({
    state: 'terminated',
    exit: { signal: 'SIGTERM', forced: true },
  });
});

test('one that ignores SIGTERM gets SIGKILL after 5 s', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await using programs = await programsIn(team);
  const bob = await programs.bob(STUBBORN);
  expect(await end(team, { force: true })).toEqual({ how: 'forced' });
  expect(await isAlive(bob)).toBe(false);
  expect(await readRunRecord(team.paths.runRecord('bob'))).toMatchObject({ exit: { signal: 'SIGKILL', forced: true } });
  expect(await team.mail('bob')).toEqual([]);
});

test('a rejection keeps it, with its reason, unless it is overruled', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await using programs = await programsIn(team);
  const bob = await programs.bob(DEAF);
  const reject = eventually(async () => {
    const [request] = await team.mail('bob');
    if (!request) throw new Error('not asked yet');
    await team.events.append('shutdown_rejected', { member: 'bob', id: request.payload.request_id, reason: 'busy' });
  });
  expect(await end(team, { graceMs: 60_000 })).toEqual({ how: 'rejected', reason: 'busy' });
  await reject;
  expect(await isAlive(bob)).toBe(true);
  expect(await end(team, { overrule: true })).toEqual({ how: 'forced' });
  expect(await isAlive(bob)).toBe(false);
});

test('one that says that it ended and hangs on is gone all the same when it returns', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await using programs = await programsIn(team);
  const bob = await programs.bob(STUBBORN);
  await team.writeRecord('bob', { ...bob, backend: 'tmux', state: 'exited' });
  expect(await end(team, {})).toEqual({ how: 'gone' });
  expect(await isAlive(bob)).toBe(false);
});

test('its marked children end with it, also those in a session of their own; the user’s and other members’ stay', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await using programs = await programsIn(team);
  const sleeper = ['-c', 'echo up; exec sleep 1000'];
  const ours = [
    await programs.launch('sh', sleeper, 'bob@red:1'),
    await programs.launch('setsid', ['sh', '-c', 'trap "" TERM; echo up; while :; do sleep 1; done'], 'bob@red:7'),
  ];
  const others = [
    await programs.launch('sh', sleeper),
    await programs.launch('sh', sleeper, 'bobby@red:1'),
    await programs.launch('sh', sleeper, 'bob@blue:1'),
  ];
  await team.writeRecord('bob', DEAD);
  expect(await end(team, {})).toEqual({ how: 'gone' });
  expect(await Promise.all(ours.map(isAlive))).toEqual([false, false]);
  expect(await Promise.all(others.map(isAlive))).toEqual([true, true, true]);
});

test('a record whose process id somebody else has now: that process is left alone', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await using programs = await programsIn(team);
  const stranger = await programs.launch('sh', ['-c', 'echo up; exec sleep 1000']);
  await team.writeRecord('bob', { pid: stranger.pid, procStart: 'linux:another:1', backend: 'tmux', state: 'working' });
  expect(await end(team, { force: true })).toEqual({ how: 'gone' });
  expect(await isAlive(stranger)).toBe(true);
});

test('a member of this process is aborted, and its slot is free again', async () => {
  await using team = await teamOnDisk();
  const backend = membersIn(team);
  const deps = depsIn(team, backend);
  await startMember(deps, requestIn(team, 'bob'));
  expect(await end(team, { force: true }, backend)).toEqual({ how: 'forced' });
  expect(await readRunRecord(team.paths.runRecord('bob'))).toMatchObject({
    state: 'terminated',
    exit: { forced: true },
  });
  expect((await startMember(deps, requestIn(team, 'bob'))).member.generation).toBe(2);
  await end(team, { force: true }, backend);
});

test('in a hurry it waits for no answer, no grace and no SIGTERM', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await using programs = await programsIn(team);
  const bob = await programs.bob(STUBBORN);
  const hurry = new AbortController();
  const ended = end(team, { graceMs: 3_600_000, hurry: hurry.signal });
  await eventually(async () => expect(await team.mail('bob')).toHaveLength(1));
  hurry.abort();
  expect(await ended).toEqual({ how: 'forced' });
  expect(await isAlive(bob)).toBe(false);
  expect(await readRunRecord(team.paths.runRecord('bob'))).toMatchObject({ exit: { signal: 'SIGKILL', forced: true } });
});

test('in a hurry what its end hangs in is killed', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await using programs = await programsIn(team);
  const cleanup = await programs.launch('sh', ['-c', 'trap "" TERM; echo up; while :; do sleep 1; done'], 'bob@red:1');
  await team.writeRecord('bob', { backend: 'in-process', state: 'working' });
  const close = () =>
    eventually(async () => {
      if (await isAlive(cleanup)) throw new Error('its cleanup hangs');
    }, 20_000);
  const backend: Backend = { ...membersIn(team), close };
  const hurry = new AbortController();
  hurry.abort();
  expect(await end(team, { force: true, hurry: hurry.signal }, backend)).toEqual({ how: 'forced' });
  expect(await isAlive(cleanup)).toBe(false);
});

test('however many ask for their rejections, the event log is looked at once in a while', async () => {
  const clock = fakeClock();
  await using team = await teamOnDisk({ clock });
  const rejections = await openRejections(team.place);
  const reasons = () => Promise.all(['a', 'b'].map((id) => rejections.reasonOf(id)));
  await clock.pass(50);
  expect(await reasons()).toEqual([undefined, undefined]);
  for (const id of ['a', 'b'])
    await team.events.append('shutdown_rejected', { member: 'bob', id, reason: `busy ${id}` });
  expect(await reasons()).toEqual([undefined, undefined]);
  await clock.pass(50);
  expect(await reasons()).toEqual(['busy a', 'busy b']);
});
