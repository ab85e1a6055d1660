import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import {
  containMarked,
  endMarked,
  endMarkedWithAny,
  endProgram,
  markEnvironment,
  markedProcesses,
  markedWithAny,
} from '../../src/host/children.js';
import { systemClock, within } from '../../src/host/clock.js';
import { groupMembers, isAlive, processorTime, procStart, sendSignal, thisProcess } from '../../src/host/processes.js';
import { run, start } from '../../src/host/run.js';
import { onEndSignals } from '../../src/host/signals.js';
import { processesIn } from '../../src/host/workingFolders.js';
import { eventually } from '../helpers/eventually.js';
import { someProgram } from '../helpers/patient.js';
import { tempDir } from '../helpers/tempDir.js';

/** A shell script that has said `up`, in a group of its own; whatever is left of it ends with the test. */
async function shell(script: string, env: Record<string, string> = {}, cwd?: string) {
  const child: ChildProcess = spawn('sh', ['-c', script], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'] ?? '', ...env },
    ...(cwd && { cwd }),
  });
  await once(child.stdout ?? child, 'data');
  const pid = child.pid ?? 0;
  return {
    pid,
    procStart: (await procStart(pid)) ?? 'gone',
    exited: once(child, 'exit'),
    [Symbol.asyncDispose]: async () => {
      try {
        process.kill(-pid, 'SIGKILL');
      } catch {
        // It has ended already.
      }
    },
  };
}

const SLEEP = 'echo up; exec sleep 1000';

test('a process is told apart from another of its id by when it was started', async () => {
  await using sleeper = await shell(SLEEP);
  expect(await isAlive(sleeper)).toBe(true);
  expect(await isAlive({ ...sleeper, procStart: 'linux:other:1' })).toBe(false);
  expect(await sendSignal({ ...sleeper, procStart: 'linux:other:1' }, 'SIGKILL')).toBe(false);
  expect(await isAlive(await thisProcess())).toBe(true);
  expect(await sendSignal(sleeper, 'SIGTERM')).toBe(true);
  await sleeper.exited;
  expect([await isAlive(sleeper), await sendSignal(sleeper, 'SIGTERM')]).toEqual([false, false]);
});

test.skipIf(process.platform !== 'linux')('what a process works counts with what its children do', async () => {
  await using idle = await someProgram('sleep 60');
  await using busy = await someProgram('sh -c "while :; do :; done"; :');
  await eventually(async () => expect(await processorTime(busy.process.pid)).toBeGreaterThan(200));
  expect(await processorTime(idle.process.pid)).toBeLessThan(100);
});

test('a zombie does not live', async () => {
  await using parent = await shell('sh -c "exit 0" & echo $!; exec sleep 1000');
  await eventually(async () => expect((await groupMembers(parent)).length).toBe(1));
  expect((await groupMembers(parent)).map(({ pid }) => pid)).toEqual([parent.pid]);
});

test('a signal to the group reaches what the process has started', async () => {
  await using parent = await shell('sleep 1000 & echo up; wait');
  expect((await groupMembers(parent)).length).toBe(2);
  await sendSignal(parent, 'SIGTERM', 'group');
  await parent.exited;
  await eventually(async () => expect(await groupMembers(parent)).toEqual([]));
});

test('marked processes are found by member, generation, home and call, whatever session they are in', async () => {
  const home = `/home-${process.pid}`;
  const mark = { member: 'bob@red:2', home };
  await using plain = await shell(SLEEP, markEnvironment(mark));
  await using called = await shell(SLEEP, markEnvironment({ ...mark, call: 'toolu_1' }));
  await using foreign = await shell(SLEEP, markEnvironment({ ...mark, home: `${home}/other` }));
  const pids = async (asked: Parameters<typeof markedProcesses>[0]) =>
    (await markedProcesses(asked)).map(({ pid }) => pid).sort();
  const both = [plain.pid, called.pid].sort();
  expect(await pids(mark)).toEqual(both);
  expect(await pids({ member: 'bob@red', home })).toEqual(both);
  expect(await pids({ ...mark, call: 'toolu_1' })).toEqual([called.pid]);
  for (const member of ['bob@red:1', 'bob@re', 'ob@red', 'bob']) expect(await pids({ member, home })).toEqual([]);
  expect(await endMarked({ member: 'bob@red', home }, systemClock, 500)).toBe(2);
  expect(await isAlive(foreign)).toBe(true);
});

test('children of many are found and ended at one look, each known by its own mark', async () => {
  const home = `/home-many-${process.pid}`;
  const marks = ['bob', 'carol', 'dave'].map((name) => ({ member: `${name}@red`, home }));
  await using ofBob = await shell(SLEEP, markEnvironment({ member: 'bob@red:2', home }));
  await using ofCarol = await shell(SLEEP, markEnvironment({ member: 'carol@red:1', home }));
  await using ofErin = await shell(SLEEP, markEnvironment({ member: 'erin@red:1', home }));
  const found = await markedWithAny(marks);
  expect(found.map(({ process: { pid }, mark }) => [pid, mark.member]).sort()).toEqual(
    [
      [ofBob.pid, 'bob@red'],
      [ofCarol.pid, 'carol@red'],
    ].sort(),
  );
  expect(await endMarkedWithAny(marks, systemClock, 500)).toBe(2);
  for (const ended of [ofBob, ofCarol]) await eventually(async () => expect(await isAlive(ended)).toBe(false));
  expect(await isAlive(ofErin)).toBe(true);
  expect(await endMarkedWithAny([], systemClock)).toBe(0);
});

test('too many children are seen also where as many others of the machine have ended meanwhile', async () => {
  await using home = await tempDir();
  const mark = { member: 'ann@red:1', home: home.path, call: 'toolu_1' };
  const others = await Promise.all(Array.from({ length: 40 }, () => shell(SLEEP)));
  const areTooMany = containMarked(mark, 20);
  for (const other of others) await other[Symbol.asyncDispose]();
  await Promise.all(others.map(({ exited }) => exited));
  await using children = await shell('for i in $(seq 30); do sleep 1000 & done; echo up; wait', markEnvironment(mark));
  expect(Array.from({ length: 40 }, areTooMany)).toContain(true);
  await children.exited;
  await eventually(async () => expect(await markedProcesses(mark)).toEqual([]));
});

test('SIGKILL follows for those that do not go, and nobody lives when that is done', async () => {
  const mark = { member: 'bob@red:1', home: '/home/ending' };
  const env = markEnvironment(mark);
  await using stubborn = await shell('trap "" TERM; echo up; while :; do sleep 0.1; done', env);
  await using _ = await shell(SLEEP, env);
  const livesAtLook: boolean[] = [];
  const clock = {
    ...systemClock,
    async sleep(ms: number) {
      await systemClock.sleep(ms);
      livesAtLook.push(await isAlive(stubborn));
    },
  };
  // Without a grace nobody is looked after but those who are killed.
  await endMarked(mark, clock, 0);
  expect(livesAtLook.at(-1)).toBe(false);
  expect(await markedProcesses(mark)).toEqual([]);
});

test('a program is ended with its group and with what left that', async () => {
  const mark = { member: 'bob@red:1', home: '/home/ended' };
  await using leader = await shell('setsid sleep 300 & env -i sleep 300 & echo up; wait', markEnvironment(mark));
  const group = await eventually(async () => {
    const members = await groupMembers(leader);
    const marked = await markedProcesses(mark);
    expect([members.length, marked.length]).toEqual([2, 2]);
    return [...members, ...marked];
  });
  await endProgram(leader, mark, systemClock, 2000);
  for (const one of group) await eventually(async () => expect(await isAlive(one)).toBe(false));
});

test('who works in a folder or below it is known before the folder is taken away', async () => {
  await using dir = await tempDir();
  await using inside = await shell(SLEEP, {}, dir.path);
  expect(await processesIn(dir.path)).toEqual([inside.pid]);
  expect(await processesIn(`${dir.path}/x`)).toEqual([]);
  expect(await processesIn(dir.path.slice(0, -1))).toEqual([]);
});

test('run: a non-zero exit is a result, a program that is not there or was killed an error', async () => {
  expect(await run('sh', ['-c', 'echo out; echo err >&2; exit 3'])).toEqual({
    exitCode: 3,
    stdout: 'out',
    stderr: 'err',
  });
  expect((await run('cat', [], { input: 'in' })).stdout).toBe('in');
  expect((await run('env', [], { env: { ONLY: 'this', PATH: '/usr/bin:/bin' } })).stdout.split('\n').sort()).toEqual([
    'ONLY=this',
    'PATH=/usr/bin:/bin',
  ]);
  await expect(run('/no/such/program', [])).rejects.toThrow('/no/such/program');
  await expect(run('sleep', ['1000'], { timeout: 50 })).rejects.toThrow();
  await expect(run('sleep', ['1000'], { signal: AbortSignal.abort() })).rejects.toThrow();
});

test('start: its end is known though a child of it still holds its output', async () => {
  const started = await start('sh', ['-c', 'sleep 1000 & echo $!; exit 7']);
  const [line] = await once(started.stdout ?? process.stdin, 'data');
  try {
    expect(await started.exited).toEqual({ code: 7, signal: null });
  } finally {
    process.kill(Number(String(line).trim()), 'SIGKILL');
    started.stdout?.destroy();
  }
  await expect(start('/no/such/program', [])).rejects.toThrow('ENOENT');
});

test('a signal that asks this process to end is told, until the default is back', () => {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  // Libraries that other tests have loaded may listen too; to them nothing is said.
  const listeners = () => signals.map((signal) => process.listeners(signal));
  const before = listeners();
  const seen: string[] = [];
  const restore = onEndSignals((signal) => seen.push(signal));
  for (const [index, signal] of signals.entries())
    for (const listener of process.listeners(signal).filter((other) => !before[index]?.includes(other)))
      listener(signal);
  expect(seen).toEqual(['SIGINT', 'SIGTERM', 'SIGHUP']);
  restore();
  expect(listeners()).toEqual(before);
});

test('what takes too long is undefined, told to stop, and keeps no timer when it was in time', async () => {
  let told = false;
  const late = within(
    systemClock,
    5,
    (signal) =>
      new Promise((resolve) =>
        signal.addEventListener('abort', () => {
          told = true;
          resolve('late');
        }),
      ),
  );
  expect([await late, told]).toEqual([undefined, true]);
  expect(await within(systemClock, 60_000, async () => 'in time')).toBe('in time');
  await expect(within(systemClock, 60_000, () => Promise.reject(new Error('broke')))).rejects.toThrow('broke');
});
