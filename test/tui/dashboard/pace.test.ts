import { expect, test } from 'vitest';
import { createPace } from '../../../src/tui/dashboard/pace.js';
import { fakeClock } from '../../helpers/fakeClock.js';

/** How often it is time, while `at` says what happens at which millisecond. */
async function looksAt(
  happens: (pace: ReturnType<typeof createPace>, ms: number) => void,
  until = 4000,
): Promise<number[]> {
  const clock = fakeClock(0);
  const over = new AbortController();
  const pace = createPace(clock, over.signal);
  const looks: number[] = [];
  const looking = (async () => {
    while (!over.signal.aborted) {
      await pace.next();
      looks.push(clock.now());
    }
  })();
  for (let ms = 0; ms < until; ms += 50) {
    happens(pace, ms);
    await clock.pass(50);
  }
  over.abort();
  await looking;
  return looks.slice(0, -1);
}

test('without hints it is time once a second, with many at most four times', async () => {
  expect(await looksAt(() => {})).toEqual([1000, 2000, 3000, 4000]);
  expect(await looksAt((pace) => pace.news(), 1000)).toEqual([250, 500, 750, 1000]);
});

test('a hint is followed as soon as may be, and what the person waits for at once', async () => {
  expect(await looksAt((pace, ms) => ms === 500 && pace.news(), 2000)).toEqual([500, 1500]);
  expect(await looksAt((pace, ms) => ms === 100 && pace.news(), 1500)).toEqual([250, 1250]);
  expect(await looksAt((pace, ms) => ms === 100 && pace.now(), 1500)).toEqual([100, 1100]);
});

test('the end is no matter of waiting', async () => {
  const over = new AbortController();
  const pace = createPace(fakeClock(), over.signal);
  const waiting = pace.next();
  over.abort();
  await waiting;
  await pace.next();
});
