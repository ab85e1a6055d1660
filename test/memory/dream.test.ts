import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { thisProcess } from '../../src/host/processes.js';
import { type DreamDeps, dream } from '../../src/memory/dream.js';
import { fakeClock } from '../helpers/fakeClock.js';
import { DEAD } from '../helpers/team.js';
import { tempDir } from '../helpers/tempDir.js';

const HOUR = 3_600_000;
const never = new AbortController().signal;

/** A memory that was never put in order, and five sessions of late. */
async function bedroom(given: Partial<DreamDeps> = {}) {
  const dir = await tempDir();
  const clock = fakeClock(1_000 * HOUR);
  const stateFile = join(dir.path, 'shop-1.dream.json');
  const runs: string[][] = [];
  const phases: string[] = [];
  let sessions = Array.from({ length: 5 }, (_, n) => ({ id: `s${n}`, at: clock.now() - n }));
  const deps: DreamDeps = {
    clock,
    stateFile,
    self: await thisProcess(),
    sessions: async () => sessions,
    async run({ sessions: reviewed, edited }) {
      runs.push(reviewed.map(({ id }) => id));
      edited('/memory/MEMORY.md');
      edited('/memory/MEMORY.md');
      return 3;
    },
    onPhase: (phase) => phases.push(phase),
    ...given,
  };
  return {
    clock,
    runs,
    phases,
    stateFile,
    lock: join(dir.path, 'shop-1.dream.lock'),
    folder: dir.path,
    deps,
    state: async () => JSON.parse(await readFile(stateFile, 'utf8')) as Record<string, unknown>,
    sessionsSince: (count: number) => {
      sessions = Array.from({ length: count }, (_, n) => ({ id: `new${n}`, at: clock.now() + 1 + n }));
    },
    dream: (more: Partial<DreamDeps> = {}, signal = never) => dream({ ...deps, ...more }, signal),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

test('all gates open: it runs, tells its phases, and keeps what it came to', async () => {
  await using room = await bedroom();
  const done = { sessions: ['s0', 's1', 's2', 's3', 's4'], files: ['/memory/MEMORY.md'], turns: 3 };
  expect(await room.dream()).toEqual({ kind: 'done', ...done });
  expect(room.phases).toEqual(['starting', 'updating']);
  expect(await room.state()).toEqual({ dreamtAt: room.clock.now(), scannedAt: room.clock.now(), last: done });
  expect(await readdir(room.folder)).toEqual(['shop-1.dream.json']);
});

test('it runs again after 24 hours and not before', async () => {
  await using room = await bedroom();
  await room.dream();
  room.sessionsSince(5);
  await room.clock.pass(24 * HOUR - 1);
  expect(await room.dream()).toEqual({ kind: 'not-yet', because: 'recent' });
  await room.clock.pass(1);
  expect(await room.dream()).toMatchObject({ kind: 'done', sessions: ['new0', 'new1', 'new2', 'new3', 'new4'] });
});

test('it takes five sessions since the last time; those from before do not count', async () => {
  await using room = await bedroom();
  await room.dream();
  await room.clock.pass(24 * HOUR);
  expect(await room.dream()).toEqual({ kind: 'not-yet', because: 'few-sessions' });
  room.sessionsSince(4);
  await room.clock.pass(HOUR);
  expect(await room.dream()).toEqual({ kind: 'not-yet', because: 'few-sessions' });
  expect(room.runs).toHaveLength(1);
});

test('sessions are looked for every ten minutes at most', async () => {
  let scans = 0;
  await using room = await bedroom({
    async sessions() {
      scans++;
      return [];
    },
  });
  expect(await room.dream()).toEqual({ kind: 'not-yet', because: 'few-sessions' });
  await room.clock.pass(599_999);
  expect(await room.dream()).toEqual({ kind: 'not-yet', because: 'just-scanned' });
  await room.clock.pass(1);
  await room.dream();
  expect(scans).toBe(2);
});

test('of two at once one does it', async () => {
  await using room = await bedroom();
  const ends = await Promise.all([room.dream(), room.dream()]);
  expect(ends.map(({ kind }) => kind).sort()).toEqual(['done', 'not-yet']);
  expect(room.runs).toHaveLength(1);
});

test('one that looked while another was at it does not do it once more behind it', async () => {
  await using room = await bedroom();
  const late = room.dream({
    async sessions() {
      await room.dream();
      return room.deps.sessions();
    },
  });
  expect(await late).toEqual({ kind: 'not-yet', because: 'taken' });
  expect(room.runs).toHaveLength(1);
});

test.each<[string, (self: object, now: number) => string, string]>([
  ['of a living process', (self, now) => JSON.stringify({ ...self, at: now }), 'not-yet'],
  ['of a living process, an hour old', (self, now) => JSON.stringify({ ...self, at: now - HOUR }), 'done'],
  ['of a dead process', (_, now) => JSON.stringify({ ...DEAD, at: now }), 'done'],
  ['that nobody can read', () => 'torn', 'done'],
])('a lock %s: %s', async (_, lock, kind) => {
  await using room = await bedroom();
  await writeFile(room.lock, lock(await thisProcess(), room.clock.now()));
  expect(await room.dream()).toMatchObject({ kind, ...(kind === 'not-yet' && { because: 'taken' }) });
});

test('one that fails counts as if it had never begun, and lets the next one', async () => {
  await using room = await bedroom();
  await room.dream();
  const before = await room.state();
  await room.clock.pass(25 * HOUR);
  room.sessionsSince(5);
  await expect(room.dream({ run: () => Promise.reject(new Error('no model')) })).rejects.toThrow('no model');
  expect((await room.state())['dreamtAt']).toBe(before['dreamtAt']);
  expect(await readdir(room.folder)).toEqual(['shop-1.dream.json']);
  await room.clock.pass(HOUR);
  expect(await room.dream()).toMatchObject({ kind: 'done' });
});

test('one that is killed counts as one that failed', async () => {
  const stop = new AbortController();
  await using room = await bedroom({
    async run() {
      stop.abort();
      return 1;
    },
  });
  await expect(room.dream({}, stop.signal)).rejects.toThrow();
  expect(await room.state()).not.toHaveProperty('dreamtAt');
});

test('one whose process was killed never was: the one before counts, and the next does it all', async () => {
  await using room = await bedroom();
  const at = room.clock.now();
  await writeFile(room.stateFile, JSON.stringify({ dreamtAt: at, scannedAt: at }));
  await writeFile(room.lock, JSON.stringify({ ...DEAD, at, before: at - 30 * HOUR }));
  await room.clock.pass(HOUR);
  expect(await room.dream()).toMatchObject({ kind: 'done', sessions: ['s0', 's1', 's2', 's3', 's4'] });
  expect(await readdir(room.folder)).toEqual(['shop-1.dream.json']);
});

test('a stamp from the future is one of a clock that was wrong; one of a moment ahead counts', async () => {
  await using room = await bedroom();
  const stamped = (ahead: number) =>
    writeFile(
      room.stateFile,
      JSON.stringify({ dreamtAt: room.clock.now() + ahead, scannedAt: room.clock.now() + ahead }),
    );
  await stamped(1_000);
  expect(await room.dream()).toEqual({ kind: 'not-yet', because: 'recent' });
  await stamped(10_000 * HOUR);
  expect(await room.dream()).toMatchObject({ kind: 'done' });
});
