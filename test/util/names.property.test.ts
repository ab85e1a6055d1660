import { resolve } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fileNameOf, foldName, isSameName, nameProblem } from '../../src/util/names.js';

const anything = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.string({
    unit: fc.constantFrom(
      '.',
      '/',
      '\\',
      '\0',
      '%',
      'a',
      'A',
      'ß',
      'ẞ',
      'İ',
      'ı',
      'ς',
      'Σ',
      'é',
      'e\u0301',
      'ŉ',
      '\ud800',
      ':',
    ),
  }),
);

test('folding twice changes nothing more, so that a name read from disk finds its file again', () => {
  fc.assert(
    fc.property(anything, (name) => foldName(foldName(name)) === foldName(name)),
    { numRuns: 2000 },
  );
});

test('two names have one file exactly when they are the same name', () => {
  fc.assert(
    fc.property(anything, anything, (a, b) => (fileNameOf(a) === fileNameOf(b)) === isSameName(a, b)),
    { numRuns: 2000 },
  );
  for (const name of ['é', 'Straße', 'ΣΑΣ', 'ALICE']) {
    expect(fileNameOf(name.normalize('NFD').toUpperCase())).toBe(fileNameOf(name.toLowerCase()));
  }
});

test('whatever the name, its file lies directly in its directory', () => {
  fc.assert(
    fc.property(anything, (name) => {
      const path = resolve('/home/teams', fileNameOf(name));
      expect(path.startsWith('/home/teams/')).toBe(true);
      expect(path.slice('/home/teams/'.length)).toBe(fileNameOf(name));
      expect(Buffer.from(fileNameOf(name)).toString()).toBe(fileNameOf(name));
    }),
    { numRuns: 2000 },
  );
});

test('a valid name is its own file name but for case and composition', () => {
  fc.assert(
    fc.property(anything, (name) => {
      fc.pre(nameProblem(name) === undefined);
      expect(fileNameOf(name)).toBe(foldName(name));
    }),
  );
  expect(fileNameOf('Backend.v2_a-b')).toBe('backend.v2_a-b');
});
