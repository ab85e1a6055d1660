import { expect, test } from 'vitest';
import { CATALOGUE, costOf, isKnownModel, modelFacts, resolveModel } from '../../src/model/catalogue.js';

test('an alias stands for the newest model of its name', () => {
  expect(['sonnet', 'opus', 'haiku', 'fable', 'Sonnet', 'opus[1m]'].map(resolveModel)).toEqual([
    'claude-sonnet-5-5',
    'claude-opus-5-5',
    'claude-haiku-5-5',
    'claude-fable-5-2',
    'claude-sonnet-5-5',
    'claude-opus-5-5',
  ]);
});

test('any other name is passed through', () => {
  expect(resolveModel('claude-opus-4-6')).toBe('claude-opus-4-6');
  expect(resolveModel('my-gateway/some-model')).toBe('my-gateway/some-model');
});

test('an unknown id gets careful defaults, and is not taken for a known one', () => {
  const { contextWindow, maxOutput, thinking, takesEffort } = modelFacts('mystery-1');
  expect({ contextWindow, maxOutput, thinking, takesEffort }).toEqual({
    contextWindow: 200_000,
    maxOutput: 32_000,
    thinking: [],
    takesEffort: false,
  });
  expect(isKnownModel('mystery-1')).toBe(false);
  expect(modelFacts('claude-haiku-4-5-20251001').id).toBe('claude-haiku-4-5');
});

// What a million tokens cost: input, output, read, written for 5 minutes, written for an hour. Worked out by hand from
// the price list: a write is 1.25 times or twice the input, a read a tenth of it where the list says nothing else.
test.each([
  ['claude-fable-5-2', 8, 40, 0.8, 10, 16],
  ['claude-fable-5-1', 10, 50, 1, 12.5, 20],
  ['claude-fable-5', 10, 50, 1, 12.5, 20],
  ['claude-opus-5-5', 4, 20, 0.2, 5, 8],
  ['claude-sonnet-5-5', 2, 10, 0.2, 2.5, 4],
  ['claude-haiku-5-5', 0.5, 2.5, 0.05, 0.625, 1],
  ['claude-opus-5', 5, 25, 0.5, 6.25, 10],
  ['claude-sonnet-5', 2, 10, 0.2, 2.5, 4],
  ['claude-opus-4-8', 5, 25, 0.5, 6.25, 10],
  ['claude-opus-4-7', 5, 25, 0.5, 6.25, 10],
  ['claude-opus-4-6', 5, 25, 0.5, 6.25, 10],
  ['claude-sonnet-4-6', 3, 15, 0.3, 3.75, 6],
  ['claude-opus-4-5', 5, 25, 0.5, 6.25, 10],
  ['claude-sonnet-4-5', 3, 15, 0.3, 3.75, 6],
  ['claude-haiku-4-5', 1, 5, 0.1, 1.25, 2],
  ['mystery-1', 10, 50, 1, 12.5, 20],
])('%s costs what the price list says, cache writes and reads included', (id, input, output, read, short, long) => {
  const none = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  const million = 1_000_000;
  expect(
    [
      costOf(id, { ...none, input: million }),
      costOf(id, { ...none, output: million }),
      costOf(id, { ...none, cacheRead: million }),
      costOf(id, { ...none, cacheWrite: million }),
      costOf(id, { ...none, cacheWrite: million }, million),
    ].map(rounded),
  ).toEqual(
    [
      input, // Without a prompt it is a short one.
      id === 'claude-haiku-5-5' ? 0.5 : output,
      read,
      short,
      long,
    ].map(rounded),
  );
  const all = { input: million, output: million, cacheRead: million, cacheWrite: million };
  expect(costOf(id, all, 400_000)).toBeCloseTo(input + output + read + 0.6 * short + 0.4 * long, 10);
});

const rounded = (dollars: number) => Number(dollars.toFixed(10));

test('every model of the catalogue has its cost checked above', () => {
  expect(CATALOGUE).toHaveLength(15);
});

test('an hour in the cache costs twice the input', () => {
  expect(costOf('claude-opus-5-5', { input: 0, output: 0, cacheRead: 0, cacheWrite: 1e6 }, 400_000)).toBeCloseTo(
    0.6 * 5 + 0.4 * 8,
    10,
  );
});

test('haiku 5.5 costs five times as much when the prompt has more than 100,000 tokens, cached ones included', () => {
  const short = { input: 60_000, output: 1000, cacheRead: 40_000, cacheWrite: 0 };
  expect(costOf('claude-haiku-5-5', short)).toBeCloseTo(0.006 + 0.0005 + 0.0004, 10);
  expect(costOf('claude-haiku-5-5', { ...short, cacheRead: 40_001 })).toBeCloseTo(0.03 + 0.0025 + 40_001 * 0.05e-6, 10);
});
