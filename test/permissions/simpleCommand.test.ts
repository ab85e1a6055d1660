import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseSimpleCommand } from '../../src/permissions/simpleCommand.js';

const textsOf = (command: string) => parseSimpleCommand(command)?.words.map(({ text }) => text);

it('reads words as the shell does', () => {
  expect(textsOf(`a 'b c' "d \\"e" f\\ g h''i ""`)).toEqual(['a', 'b c', 'd "e', 'f g', 'hi', '']);
});

it('takes nothing for one simple command that bash reads in any other way', () => {
  const piece = fc.constantFrom(
    'a',
    'b',
    ' ',
    '  ',
    "'",
    '"',
    '\\',
    '$',
    '`',
    ';',
    '&',
    '|',
    '(',
    ')',
    '<',
    '>',
    '\n',
    '\t',
    '#',
    '=',
    '!',
    '{',
    '}',
    '~',
    '@',
    '-',
    '%',
    '\r',
    '$x',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const command = `printf_ ${pieces.join('')}`;
      const words = parseSimpleCommand(command)?.words;
      if (words === undefined || words.some(({ isPattern, isHome }) => isPattern || isHome)) return;
      const script = `printf_() { printf '%s\\0' printf_ "$@"; }\n${command}`;
      const printed = execFileSync('bash', ['-c', script], {
        encoding: 'utf8',
        cwd: '/',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      expect(words.map(({ text }) => text)).toEqual(printed.split('\0').slice(0, -1));
    }),
    { numRuns: 300 },
  );
});

it.each(['', '   ', 'a=1', 'a=1 b', 'if x', '[[ a ]]', 'a\0b', 'a # b', '"a', "'a", 'a\\'])(
  'is none: %j',
  (command) => {
    expect(parseSimpleCommand(command)).toBeUndefined();
  },
);

it('marks what the shell would still expand', () => {
  expect(
    parseSimpleCommand('ls *.ts a? [ab] {a,b} ~/x ~u HEAD~2 stash@{0} a#b --x=~/y')?.words.map(
      ({ isPattern }) => isPattern,
    ),
  ).toEqual([false, true, true, true, true, false, true, false, false, false, true]);
});
