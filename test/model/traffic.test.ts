import { readdir, readlink, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/host/clock.js';
import { systemIds } from '../../src/host/ids.js';
import { run } from '../../src/host/run.js';
import { sharedStore } from '../../src/model/sharedTraffic.js';
import { createTraffic, privateStore, type Traffic, type TrafficStore } from '../../src/model/traffic.js';
import { eventually } from '../helpers/eventually.js';
import { fakeClock } from '../helpers/fakeClock.js';
import { tempDir } from '../helpers/tempDir.js';

const never = () => new AbortController().signal;
const ids = { ...systemIds, random: () => 0.5 };

const OVERLOAD = { retryAfterMs: undefined, isOverload: true };

/** Enters, and tells whether it is in already. */
function entering(traffic: Traffic, lane = 'l', signal = never()) {
  const state = { isIn: false };
  const pass = traffic.enter(lane, signal).then((entered) => {
    state.isIn = true;
    return entered;
  });
  return { state, pass };
}

/** The same rules for those who share a folder and for one who shares nothing. */
const stores: [string, (folder: string) => TrafficStore][] = [
  ['in a folder', (folder) => sharedStore(join(folder, 'traffic'), ids)],
  ['of one process', () => privateStore()],
];

test.each(stores)('who is refused makes everybody wait, then one alone tries, then all go (%s)', async (_, open) => {
  await using dir = await tempDir();
  const clock = fakeClock();
  const traffic = createTraffic({ clock, ids, store: open(dir.path) });
  const first = await traffic.enter('l', never());
  expect(await first.refused(OVERLOAD)).toEqual({ delayMs: 500, refusals: 1 });
  await first.leave();

  const waiting = [1, 2, 3].map(() => entering(traffic));
  const elsewhere = await traffic.enter('another lane', never());
  await elsewhere.leave();
  const inside = () => waiting.filter(({ state }) => state.isIn);
  await clock.advance(499);
  expect(inside()).toEqual([]);
  await eventually(async () => {
    await clock.pass(100);
    expect(inside()).toHaveLength(1);
  });
  for (let n = 0; n < 10; n++) await clock.pass(100);
  expect(inside()).toHaveLength(1);

  const [probe] = await Promise.all(inside().map(({ pass }) => pass));
  expect(probe?.refusals).toBe(1);
  await probe?.answered();
  await eventually(async () => {
    await clock.pass(100);
    expect(inside()).toHaveLength(3);
  });
});

test.each(stores)('who tries it out and is refused makes all wait for twice as long (%s)', async (_, open) => {
  await using dir = await tempDir();
  const clock = fakeClock();
  const traffic = createTraffic({ clock, ids, store: open(dir.path) });
  const first = await traffic.enter('l', never());
  await first.refused(OVERLOAD);
  await first.leave();
  const second = entering(traffic);
  await eventually(async () => {
    await clock.pass(500);
    expect(second.state.isIn).toBe(true);
  });
  const pass = await second.pass;
  expect(await pass.refused(OVERLOAD)).toEqual({ delayMs: 1000, refusals: 2 });
  await pass.leave();
});

test('who has little patience does not wait where the model has been overloaded so often in a row', async () => {
  const clock = fakeClock();
  const traffic = createTraffic({ clock, ids, store: privateStore() });
  const refuse = async (isOverload: boolean) => {
    const { pass } = entering(traffic);
    await clock.pass(60_000);
    await (await pass).refused({ retryAfterMs: undefined, isOverload });
    await (await pass).leave();
  };
  for (const isOverload of [true, false, true]) await refuse(isOverload);
  const patient = entering(traffic);
  expect(await traffic.enter('l', AbortSignal.timeout(50), 2).catch(() => 'waits')).toBe('waits');
  await clock.advance(60_000);
  await (await patient.pass).refused(OVERLOAD);
  expect(await traffic.enter('l', never(), 2)).toBeUndefined();
});

test('a service that never answers the one who tries it out is tried by another', async () => {
  const clock = fakeClock();
  const traffic = createTraffic({ clock, ids, store: privateStore() });
  const first = await traffic.enter('l', never());
  await first.refused(OVERLOAD);
  await first.leave();
  const waiting = [entering(traffic), entering(traffic)];
  for (let n = 0; n < 20; n++) await clock.pass(500);
  expect(waiting.filter(({ state }) => state.isIn)).toHaveLength(1);
  for (let n = 0; n < 20; n++) await clock.pass(500);
  expect(waiting.filter(({ state }) => state.isIn)).toHaveLength(2);
});

test('no more requests are in flight than the limit allows, and each that leaves makes room', async () => {
  await using dir = await tempDir();
  const store = () => sharedStore(join(dir.path, 'traffic'), ids);
  // Each opens the folder for itself, as processes do.
  const all = Array.from({ length: 6 }, (_, n) =>
    entering(createTraffic({ clock: systemClock, ids, store: store(), limit: 2 }), `lane-${n}`),
  );
  for (let left = 6; left > 0; left--) {
    const inside = await eventually(() => {
      const found = all.filter(({ state }) => state.isIn);
      expect(found).toHaveLength(Math.min(2, left));
      return found;
    });
    const [next] = inside;
    if (next) {
      await (await next.pass).leave();
      all.splice(all.indexOf(next), 1);
    }
  }
});

test('what a dead process had is free, what a living one has is not, and a spoilt file holds nobody back', async () => {
  await using dir = await tempDir();
  const store = sharedStore(dir.path, ids);
  await run(process.execPath, [
    '--eval',
    `require('fs').symlinkSync(process.pid + ' 0 linux:x:1', ${JSON.stringify(join(dir.path, 'slot-0'))})`,
  ]);
  const takers = await Promise.all(Array.from({ length: 8 }, () => store.tryClaim('slot-0')));
  const [release, ...others] = takers.filter((taken) => taken !== undefined);
  expect(others).toEqual([]);
  expect(await readlink(join(dir.path, 'slot-0'))).toMatch(new RegExp(`^${process.pid} `));
  expect(await store.tryClaim('slot-0')).toBeUndefined();
  await release?.();
  expect((await readdir(dir.path)).filter((name) => name.startsWith('slot'))).toEqual([]);

  await writeFile(join(dir.path, 'lane-l.json'), '{"until":');
  expect(await store.read('l')).toBeUndefined();
  const written = { until: 5, refusals: 1, overloads: 0, at: 1 };
  expect(await store.change('l', () => written)).toEqual(written);
  expect(await store.read('l')).toEqual(written);
});

test('who gives back what was taken over from it leaves it to the new holder', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'slot-0');
  const store = sharedStore(dir.path, ids);
  const release = await store.tryClaim('slot-0');
  await run('rm', [path]);
  await symlink('1 0 another', path);
  await release?.();
  expect(await readlink(path)).toBe('1 0 another');
});

test('an abort ends every wait with its own reason, and leaves nothing taken', async () => {
  await using dir = await tempDir();
  const folder = join(dir.path, 'traffic');
  const traffic = createTraffic({ clock: systemClock, ids, store: sharedStore(folder, ids), limit: 1 });
  const pass = await traffic.enter('l', never());
  const stop = new AbortController();
  const room = traffic.enter('l', stop.signal);
  const refusedPass = await createTraffic({ clock: systemClock, ids, store: sharedStore(folder, ids) }).enter(
    'm',
    never(),
  );
  await refusedPass.refused({ ...OVERLOAD, retryAfterMs: 600_000 });
  const later = traffic.enter('m', stop.signal);
  stop.abort(new Error('enough'));
  await expect(room).rejects.toThrow('enough');
  await expect(later).rejects.toThrow('enough');
  await pass.leave();
  expect((await readdir(folder)).filter((name) => !name.startsWith('lane'))).toEqual([]);
});
