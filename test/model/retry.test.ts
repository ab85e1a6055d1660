import { expect, test } from 'vitest';
import { createBudget } from '../../src/model/budget.js';
import { delayFor, parseRetryAfter, retryable } from '../../src/model/retry.js';
import { ModelError } from '../../src/model/types.js';
import { addUsage, NO_USAGE } from '../../src/model/usage.js';

test('limits, overload, server errors and broken connections are tried again, mistakes of ours are not', () => {
  expect([undefined, 408, 429, 500, 503, 529].every(retryable)).toBe(true);
  expect([400, 401, 402, 403, 404, 413].some(retryable)).toBe(false);
});

test('the delay doubles from half a second up to 30 s', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 10].map((attempt) => delayFor(attempt, undefined, 0.5))).toEqual([
    500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000,
  ]);
  expect([delayFor(1, undefined, 0), delayFor(1, undefined, 1)]).toEqual([375, 625]);
});

test('retry-after is never undercut', () => {
  expect(delayFor(1, 7000, 0)).toBe(7000);
  expect(delayFor(9, 0, 0)).toBe(0);
});

test('retry-after is seconds or a date', () => {
  const now = Date.UTC(2026, 0, 1);
  expect(parseRetryAfter('1.5', now)).toBe(1500);
  expect(parseRetryAfter('Thu, 01 Jan 2026 00:00:10 GMT', now)).toBe(10_000);
  expect(parseRetryAfter('soon', now)).toBeUndefined();
  expect(parseRetryAfter(null, now)).toBeUndefined();
});

test('a budget lets requests pass until what was spent reaches it', async () => {
  let spent = 0.99;
  const budget = createBudget({ limitUsd: 1, spent: async () => spent });
  await budget.check();
  spent = 1;
  await expect(budget.check()).rejects.toThrow(
    new ModelError('budget', 'The budget of $1 is used up: $1.0000 spent. A larger --max-budget-usd goes on.'),
  );
});

test('usage adds up field by field', () => {
  const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };
  expect(addUsage(usage, addUsage(usage, NO_USAGE))).toEqual({ input: 2, output: 4, cacheRead: 6, cacheWrite: 8 });
});
