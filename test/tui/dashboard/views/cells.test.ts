import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asciiOnly, isAsciiLocale } from '../../../../src/tui/dashboard/views/ascii.js';
import { cut, endOf, flat, padded, widthOf, wrap } from '../../../../src/tui/dashboard/views/cells.js';
import { messageWords } from '../../../../src/tui/dashboard/views/messageWords.js';

test('a text that does not fit is cut between characters, and what fits is left as it is', () => {
  expect(cut('plain', 5)).toBe('plain');
  expect(cut('plain words', 6)).toBe('plain…');
  expect(cut('日本語', 4)).toBe('日…');
  expect(cut('👩‍💻👩‍💻', 3)).toBe('👩‍💻…');
  expect([cut('abc', 0), cut('abc', -3), cut('日', 1), cut('日本', 2)]).toEqual(['', '', '…', '…']);
  expect([padded('ab', 4), padded('ab', 4, 'right'), padded('日本', 3)]).toEqual(['ab  ', '  ab', '日…']);
});

test('rows are broken between words, long words anywhere, and an indent stays', () => {
  expect(wrap('one two three', 8)).toEqual(['one two', 'three']);
  expect(wrap('  indented words here', 12)).toEqual(['  indented', 'words here']);
  expect(wrap('abcdefghij kl', 4)).toEqual(['abcd', 'efgh', 'ij', 'kl']);
  expect(wrap('日本語です', 5)).toEqual(['日本', '語で', 'す']);
  expect(wrap('a\r\nb\tc\n\nd', 10)).toEqual(['a', 'b    c', '', 'd']);
});

test('a text of millions of characters costs what is seen of it, and no look at all of it for each row', () => {
  const word = 'x'.repeat(2_000_000);
  expect(wrap(word, 80)).toHaveLength(25_000);
  expect(wrap('日'.repeat(20_000), 80)).toHaveLength(500);
  const spaces = ' '.repeat(1_000_000);
  expect(wrap(`${spaces}a${spaces}b`, 80).at(-1)).toBe('b');
  expect(cut(word, 5)).toBe('xxxx…');
  expect(flat(`${word} end`, 10)).toBe('x'.repeat(320));
  expect(endOf(`${word} the end`, 8)).toBe(' the end');
  expect([endOf('日本語', 5), endOf('a\nb', 9), endOf('abc', 0)]).toEqual(['本語', 'a b', '']);
});

test('nothing but spaces at the end of rows is lost by breaking', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme-ascii', maxLength: 300 }),
      fc.integer({ min: 2, max: 30 }),
      (text, columns) => {
        expect(wrap(text, columns).join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''));
      },
    ),
  );
});

test('where a locale knows only ASCII each character has a stand-in as wide as itself', () => {
  expect(asciiOnly('▸ bob │ 日本 … ✅ plain')).toBe('> bob | ???? ~ ?? plain');
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => {
      expect(asciiOnly(text)).toMatch(/^[\x20-\x7e]*$/);
      expect(widthOf(asciiOnly(text))).toBe(widthOf(text));
    }),
  );
  expect(
    [{ LANG: 'C' }, { LC_ALL: 'POSIX', LANG: 'C.UTF-8' }, { LC_CTYPE: 'de_DE.ISO-8859-1' }].map(isAsciiLocale),
  ).toEqual([true, true, true]);
  expect(
    [{}, { LANG: '' }, { LANG: 'C.UTF-8' }, { LC_ALL: 'de_DE.utf8', LANG: 'C' }].map((env) =>
      isAsciiLocale({ ...env }),
    ),
  ).toEqual([false, false, false, false]);
});

test('what the harness sends is told in a line by what matters in it, and whole by its fields', () => {
  const idle = JSON.stringify({ idleReason: 'available', result: 'Done.' });
  expect(messageWords('idle_notification', idle, undefined)).toEqual({
    summary: 'idle: Done.',
    text: 'idle\nidleReason: available\nresult: Done.',
  });
  expect(messageWords('permission_response', '{"request_id":"1","behavior":"deny"}', undefined).summary).toBe(
    'answer: deny',
  );
  expect(messageWords('plan_approval_response', '{"approve":"true"}', undefined).summary).toBe(
    'answer to the plan: yes',
  );
  expect(messageWords('message', 'All of it.', 'in short')).toEqual({ summary: 'in short', text: 'All of it.' });
  expect(messageWords('interrupt', 'no json', undefined)).toEqual({
    summary: 'interrupt',
    text: 'interrupt\ntext: no json',
  });
});
