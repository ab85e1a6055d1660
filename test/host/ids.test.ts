import { expect, test } from 'vitest';
import { isUuid, systemIds, timeUuidOf } from '../../src/host/ids.js';

test('time ids of one process sort in the order in which they were made, within a millisecond too', () => {
  const ids = Array.from({ length: 5000 }, () => systemIds.timeUuid());
  expect(ids.toSorted()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every(isUuid)).toBe(true);
});

test('ids and digits do not repeat, and have the form that was asked for', () => {
  expect(systemIds.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(systemIds.hex(7)).toMatch(/^[0-9a-f]{7}$/);
  const many = Array.from({ length: 1000 }, () => [systemIds.uuid(), systemIds.hex(16)]).flat();
  expect(new Set(many).size).toBe(many.length);
  // However many are asked for at once, and behind an odd count.
  expect(systemIds.hex(5001)).toMatch(/^[0-9a-f]{5001}$/);
  expect(systemIds.hex(5001)).not.toBe(systemIds.hex(5001));
});

test('the id of a content and a moment is always the same, no other has it, and it sorts by the moment', () => {
  expect(timeUuidOf('a', 1000)).toBe(timeUuidOf('a', 1000));
  const ids = [timeUuidOf('b', 999), timeUuidOf('a', 1000), timeUuidOf('a', 1001)];
  expect(ids.toSorted()).toEqual(ids);
  expect(ids.every(isUuid)).toBe(true);
  expect(timeUuidOf('a', 1000)).not.toBe(timeUuidOf('b', 1000));
});
