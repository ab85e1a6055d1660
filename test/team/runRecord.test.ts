import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { thisProcess } from '../../src/host/processes.js';
import {
  createRecordReader,
  liveRecord,
  openRunRecord,
  type RunRecord,
  readRunRecord,
  writeRunRecord,
} from '../../src/team/runRecord.js';
import { fakeClock } from '../helpers/fakeClock.js';
import { tempDir } from '../helpers/tempDir.js';

const initial: RunRecord = {
  pid: 1,
  procStart: 'never',
  generation: 1,
  state: 'starting',
  turns: 0,
  tokens: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  costUsd: 0,
  counter: 0,
  heartbeat: 0,
};

test('a change counts up, a heartbeat does not, and both say when', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'alice.json');
  const clock = fakeClock(1000);
  const record = openRunRecord(path, clock, initial);
  await record.change({ state: 'working', waitingFor: 'plan' });
  await clock.pass(5);
  await record.beat();
  expect(await readRunRecord(path)).toEqual({
    ...initial,
    state: 'working',
    waitingFor: 'plan',
    counter: 1,
    heartbeat: 1005,
  });
  await record.change({ waitingFor: undefined });
  expect(await readRunRecord(path)).toEqual({ ...initial, state: 'working', counter: 2, heartbeat: 1005 });
});

test('of changes that come together the last one is in the file when any of them returns behind it', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'alice.json');
  const record = openRunRecord(path, fakeClock(), initial);
  const changes = Array.from({ length: 50 }, (_, n) => record.change({ turns: n + 1 }));
  expect(record.current().turns).toBe(50);
  await changes[49];
  expect(await readRunRecord(path)).toMatchObject({ turns: 50, counter: 50 });
  await Promise.all(changes);
  await record.flush();
  expect(await readdir(dir.path)).toEqual(['alice.json']);
});

test('a late heartbeat does not bring an archived team back, and the next write is tried all the same', async () => {
  await using dir = await tempDir();
  const record = openRunRecord(join(dir.path, 'run', 'alice.json'), fakeClock(), initial);
  await expect(record.beat()).rejects.toThrow(/ENOENT/);
  await expect(record.beat()).rejects.toThrow(/ENOENT/);
  expect(await readdir(dir.path)).toEqual([]);
});

test('the record of a process that is gone shows as terminated; whoever has ended keeps its end, does nothing and waits for nothing', async () => {
  const here = { ...initial, ...(await thisProcess()), state: 'idle' as const };
  expect(await liveRecord(here)).toEqual(here);
  const recycled: RunRecord = {
    ...here,
    procStart: 'linux:another:1',
    waitingFor: 'plan',
    requestId: 'r',
    activity: 'Bash',
  };
  expect(await liveRecord(recycled)).toEqual({ ...here, procStart: 'linux:another:1', state: 'terminated' });
  const exited: RunRecord = { ...initial, state: 'exited', exit: { code: 0, signal: null, forced: false } };
  expect(await liveRecord({ ...exited, activity: 'Bash', questions: ['Which?'] })).toEqual(exited);
});

test('no file and the empty one of a power cut are no record; a broken one is an error that names it', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'alice.json');
  expect(await readRunRecord(path)).toBeUndefined();
  await writeFile(path, '');
  expect(await readRunRecord(path)).toBeUndefined();
  await writeFile(path, '{"pid": 1}');
  await expect(readRunRecord(path)).rejects.toThrow(path);
  await rm(path);
  await writeRunRecord(path, initial);
  expect(await readRunRecord(path)).toEqual(initial);
});

test('who looks again and again sees each change of a record, a later one and its end', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'bob.json');
  const read = createRecordReader();
  expect(await read(path)).toBeUndefined();
  for (const state of ['working', 'idle', 'idle', 'working'] as const) {
    await writeRunRecord(path, { ...initial, state });
    expect(await read(path)).toMatchObject({ state });
    expect(await read(path)).toEqual(await readRunRecord(path));
  }
  await rm(path);
  expect(await read(path)).toBeUndefined();
});
