import { expect, test } from 'vitest';
import { checkName, nameProblem } from '../../src/util/names.js';

test.each([
  ['', 'it is empty'],
  ['a/b', 'it must not hold "/", "\\" or ":"'],
  ['a\\b', 'it must not hold "/", "\\" or ":"'],
  ['a:b', 'it must not hold "/", "\\" or ":"'],
  ['a\0', 'it must not hold control characters'],
  ['a\nb', 'it must not hold control characters'],
  ['a..b', 'it must not hold ".."'],
  ['..', 'it must not hold ".."'],
  ['-a', 'it must not begin with "-" or "."'],
  ['.a', 'it must not begin with "-" or "."'],
  ['a b', 'only letters, digits, ".", "_" and "-" are allowed'],
  ['a@b', 'only letters, digits, ".", "_" and "-" are allowed'],
  ['😀', 'only letters, digits, ".", "_" and "-" are allowed'],
  ['x'.repeat(65), 'it has more than 64 characters'],
  ['漢'.repeat(64), 'it has more than 180 bytes'],
])('%j cannot be a name, and the rule is said', (name, problem) => {
  expect(nameProblem(name)).toMatch(problem);
  expect(() => checkName('member', name)).toThrow(problem);
});

test.each(['a', 'Ünïcode', '漢字', 'v1.2_x-y', 'x'.repeat(64), 'é'.repeat(64)])('%j can be a name', (name) => {
  expect(nameProblem(name)).toBeUndefined();
  expect(checkName('team', name)).toBe(name);
});
