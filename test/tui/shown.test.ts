import { expect, test } from 'vitest';
import { shown } from '../../src/tui/shown.js';
import { theme } from '../../src/tui/theme.js';

test('of what others wrote nothing is obeyed, our own colours are', () => {
  const look = theme(true);
  const line = shown`${look.strong('bob')} says: ${'\x1b]0;title\x07\x1b[31mred'} ${look.dim('\x1b[2Jgone')}`;
  expect(String(line).replaceAll('\x1b', 'ESC')).toBe(
    'ESC[1mbobESC[22m says: \\x1b]0;title\\x07\\x1b[31mred ESC[2m\\x1b[2JgoneESC[22m',
  );
});

test('a line can be part of another, and keeps its colours there', () => {
  const inner = shown`<${theme(true).warn('!')}>`;
  expect(String(shown`${inner} ${'a\rb'}`)).toBe(`${inner} a\\x0db`);
});
