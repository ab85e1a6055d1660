import fc from 'fast-check';
import { expect, test } from 'vitest';
import { styledLines } from '../../src/util/styledText.js';

const ESC = '\x1b';
const plain = (text: string) => ({ text, style: { attributes: [] } });

test('colours and attributes become styles, in all the ways in which programs write them', () => {
  const pieces = (text: string) => styledLines(text, 1)[0]?.map(({ style }) => style);
  expect(pieces(`${ESC}[1;31mx`)).toEqual([{ fg: 1, attributes: ['bold'] }]);
  expect(pieces(`${ESC}[97;104mx`)).toEqual([{ fg: 15, bg: 12, attributes: [] }]);
  expect(pieces(`${ESC}[38;5;208;4mx`)).toEqual([{ fg: 208, attributes: ['underscore'] }]);
  expect(pieces(`${ESC}[48;2;16;32;255;3mx`)).toEqual([{ bg: '#1020ff', attributes: ['italics'] }]);
  expect(pieces(`${ESC}[38:2::1:2:3mx`)).toEqual([{ fg: '#010203', attributes: [] }]);
  expect(pieces(`${ESC}[38:2:1:2:3mx${ESC}[39;2mx`)).toEqual([
    { fg: '#010203', attributes: [] },
    { fg: undefined, attributes: ['dim'] },
  ]);
  expect(pieces(`${ESC}[1;2;3mx${ESC}[22mx${ESC}[mx`)?.map(({ attributes }) => attributes)).toEqual([
    ['bold', 'dim', 'italics'],
    ['italics'],
    [],
  ]);
  expect(pieces(`${ESC}[38;5;999mx${ESC}[38mx${ESC}[38;2;1mx`)?.every(({ fg }) => fg === undefined)).toBe(true);
});

test('a style goes on into the next line, and lines past the most are left out', () => {
  expect(styledLines(`${ESC}[32ma\nb${ESC}[0m\nc\n\n`, 2)).toEqual([
    [{ text: 'a', style: { fg: 2, attributes: [] } }],
    [{ text: 'b', style: { fg: 2, attributes: [] } }],
  ]);
  expect(styledLines('', 3)).toEqual([[]]);
});

test('of links, titles and cursor movements only the words stay', () => {
  const link = `${ESC}]8;;http://x${ESC}\\word${ESC}]8;;${ESC}\\`;
  expect(styledLines(`a${link}${ESC}]0;title\x07${ESC}[2J${ESC}[5A${ESC}(Bz\r\n`, 1)).toEqual([
    [plain('a'), plain('word'), plain('z')],
  ]);
});

test('whatever is printed, no line is long and nothing in it is obeyed by a terminal', () => {
  const parts = fc.constantFrom(
    `${ESC}[31m`,
    `${ESC}[`,
    `${ESC}]8;;`,
    ESC,
    '\x9b',
    '\x07',
    '\r',
    'm',
    ';',
    '#',
    'é',
    'x',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(parts, fc.string())), (words) => {
      for (const line of styledLines(words.join(''), 3)) {
        const text = line.map((piece) => piece.text).join('');
        expect(text).not.toMatch(/[\0-\x1f\x7f-\x9f]/);
      }
    }),
  );
  const [line = []] = styledLines(`${ESC}[31mx${ESC}[32mx`.repeat(1000), 1);
  expect(line.length).toBe(40);
  expect(styledLines('x'.repeat(9999), 1)[0]?.[0]?.text.length).toBe(400);
});
