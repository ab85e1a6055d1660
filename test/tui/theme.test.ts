import { expect, test } from 'vitest';
import { theme, wantsColor } from '../../src/tui/theme.js';

test.each([
  [{}, true, true],
  [{}, false, false],
  [{ NO_COLOR: '1' }, true, false],
  [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ TERM: 'dumb' }, true, false],
])('with %j, on a terminal %s, colours are wanted: %s', (environment, isTerminal, wanted) => {
  expect(wantsColor(environment, isTerminal)).toBe(wanted);
});

test('without colours nothing is added to a word', () => {
  const plain = theme(false);
  expect([plain.member('alice', 'blue'), plain.strong('a'), plain.dim('b'), plain.warn('c')].map(String)).toEqual([
    'alice',
    'a',
    'b',
    'c',
  ]);
});
