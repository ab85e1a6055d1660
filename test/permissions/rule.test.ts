import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anchoredRule, formatRule, matchesWildcards, parseRule } from '../../src/permissions/rule.js';
import { UserError } from '../../src/util/errors.js';

it.each([
  ['Read', { tool: 'Read' }],
  ['Bash(npm test *)', { tool: 'Bash', specifier: 'npm test *' }],
  ['Bash(*)', { tool: 'Bash' }],
  ['Bash(echo (x))', { tool: 'Bash', specifier: 'echo (x)' }],
  ['Task(Explore)', { tool: 'Agent', specifier: 'Explore' }],
  ['FileRead', { tool: 'Read' }],
  ['FileEdit(src/**)', { tool: 'Edit', specifier: 'src/**' }],
  ['FileWrite', { tool: 'Write' }],
  ['mcp__db__*', { tool: 'mcp__db__*' }],
  [' Read ', { tool: 'Read' }],
])('parses %s', (text, rule) => {
  expect(parseRule(text)).toEqual(rule);
});

it.each(['', '(x)', 'Bash(', 'Bash()', 'Bash)', 'Bash(x', 'Read Write', 'Read(!x)', 'Bash(x)y'])(
  'refuses %j, saying what a rule looks like',
  (text) => {
    expect(() => parseRule(text)).toThrow(UserError);
    expect(() => parseRule(text)).toThrow(/Rules look like/);
  },
);

it('gives back the rule it parsed', () => {
  const specifier = fc.string({ minLength: 1 }).filter((text) => text.trim() === text && !/^[*]$|\0/.test(text));
  fc.assert(
    fc.property(specifier, (text) => {
      expect(parseRule(formatRule({ tool: 'Bash', specifier: text }))).toEqual({ tool: 'Bash', specifier: text });
    }),
  );
});

it('takes every character but the star for itself', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.string(),
      (a, b) => matchesWildcards(a.replace(/\*/g, ''), b) === (a.replace(/\*/g, '') === b),
    ),
  );
});

it.each([
  ['Edit(/src/**)', 'Edit(//home/me/project/src/**)'],
  ['Read(/a.md)', 'Read(//home/me/project/a.md)'],
  ['Edit(//etc/hosts)', 'Edit(//etc/hosts)'],
  ['Edit(src/**)', 'Edit(src/**)'],
  ['Read(~/notes)', 'Read(~/notes)'],
  ['Bash(/bin/ls *)', 'Bash(/bin/ls *)'],
  ['Edit', 'Edit'],
])('%s of a project is, for whoever does not know the project, %s', (text, anchored) => {
  expect(anchoredRule(text, '/home/me/project')).toBe(anchored);
});
