import { expect, it } from 'vitest';
import { createReadLedger } from '../../src/tools/support/files/readLedger.js';

const state = { mtimeMs: 1, size: 1, partial: false };

it('forgets the file that was not looked at for the longest time', () => {
  const ledger = createReadLedger(2);
  ledger.record('a', state);
  ledger.record('b', state);
  ledger.get('a');
  ledger.record('c', state);
  expect(['a', 'b', 'c'].map((path) => ledger.get(path) !== undefined)).toEqual([true, false, true]);
});

it('gives a fork what it knows, and keeps the rest to itself', () => {
  const ledger = createReadLedger();
  ledger.record('a', state);
  const copy = ledger.copy();
  copy.record('b', state);
  expect([copy.get('a'), ledger.get('b')]).toEqual([state, undefined]);
});
