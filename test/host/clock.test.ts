import { expect, test } from 'vitest';
import { watchSilence } from '../../src/host/clock.js';
import { fakeClock } from '../helpers/fakeClock.js';

function watched(ms: number) {
  const clock = fakeClock();
  let told = 0;
  const watch = watchSilence(clock, ms, () => told++);
  return { clock, watch, told: () => told };
}

test('silence is told once, so long after the last sign of life, and many signs share one sleep', async () => {
  const { clock, watch, told } = watched(1000);
  for (let sign = 0; sign < 10; sign++) {
    await clock.pass(500);
    watch.heard();
    expect(clock.sleeping()).toBe(1);
  }
  await clock.pass(999);
  expect(told()).toBe(0);
  await clock.pass(1);
  expect(told()).toBe(1);
  expect(clock.sleeping()).toBe(0);
});

test('what has ended is not silent, and keeps no timer', async () => {
  const { clock, watch, told } = watched(1000);
  watch.end();
  await clock.pass(5000);
  expect([told(), clock.sleeping()]).toEqual([0, 0]);
});
