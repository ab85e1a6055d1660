import { describe, expect, it, test } from 'vitest';
import { bash, verdict } from './cases.js';
import { GROUPS } from './shellTable.js';

describe.each(GROUPS)('$title', ({ given, allow = [], ask = [], deny = [] }) => {
  const cases = [
    ...allow.map((command) => ['allow', command] as const),
    ...ask.map((command) => ['ask', command] as const),
    ...deny.map((command) => ['deny', command] as const),
  ];
  test.each(cases)('%s: %j', (expected, command) => {
    expect(verdict(bash(command), given)).toBe(expected);
  });
});

it('counts its cases', () => {
  const all = GROUPS.flatMap(({ allow = [], ask = [], deny = [] }) => [...allow, ...ask, ...deny]);
  expect(all.length).toBeGreaterThan(300);
});
