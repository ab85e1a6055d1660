import { expect, test } from 'vitest';
import { isOver, type Lane, refused } from '../../src/model/lane.js';

const at = 1_000_000;
const refusal = (now: number, begun = now, retryAfterMs?: number) => ({
  now,
  begun,
  retryAfterMs,
  isOverload: true,
  random: 0.5,
});

test('each refusal in a row doubles the time for which all hold back', () => {
  const lanes = [refused(undefined, refusal(at))];
  for (const now of [at + 600, at + 2000]) lanes.push(refused(lanes.at(-1), refusal(now)));
  expect(lanes).toEqual<Lane[]>([
    { refusals: 1, overloads: 1, at, until: at + 500 },
    { refusals: 2, overloads: 2, at: at + 600, until: at + 1600 },
    { refusals: 3, overloads: 3, at: at + 2000, until: at + 4000 },
  ]);
});

test('requests that were in flight together are refused once', () => {
  const first = refused(undefined, refusal(at, at - 50));
  expect(refused(first, refusal(at + 20, at - 40))).toEqual(first);
});

test('the longest retry-after counts, also of one that was in flight', () => {
  const first = refused(undefined, refusal(at, at - 50, 2000));
  expect(first.until).toBe(at + 2250);
  expect(refused(first, refusal(at + 100, at - 40, 7000)).until).toBe(at + 7350);
  expect(refused(first, refusal(at + 100, at - 40, 1000))).toEqual(first);
});

test('a refusal of another kind ends a row of overloads', () => {
  const overloaded = refused(refused(undefined, refusal(at)), refusal(at + 600));
  expect(refused(overloaded, { ...refusal(at + 2000), isOverload: false })).toMatchObject({
    refusals: 3,
    overloads: 0,
  });
});

test('a minute after the wait, or when the clock was set back, all is forgotten', () => {
  const lane: Lane = { refusals: 9, overloads: 9, at, until: at + 30_000 };
  expect([isOver(lane, at + 90_000), isOver(lane, at + 90_001), isOver(lane, at - 1001)]).toEqual([false, true, true]);
  expect(refused(lane, refusal(at + 90_001)).refusals).toBe(1);
});
