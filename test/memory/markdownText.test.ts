import { expect, test } from 'vitest';
import { parseRuleFile, speaksOf } from '../../src/memory/instructionRules.js';
import { withoutBlockComments } from '../../src/memory/markdownText.js';

test('comments that begin a line are taken out, with what stands behind them kept; those in code, or never closed, stay', () => {
  const text = 'a\n<!-- b\nc --> d\n<!-- e -->\n```\n<!-- f -->\n```\n g <!-- h -->\n<!-- i\n<!-- j';
  expect(withoutBlockComments(text)).toBe('a\nd\n```\n<!-- f -->\n```\n g <!-- h -->\n<!-- i\n<!-- j');
});

test('a file of a hundred thousand comments, closed or not, is no work', () => {
  expect(withoutBlockComments(`${'<!-- a -->\n'.repeat(100_000)}b`)).toBe('b');
  const open = '<!--\n'.repeat(200_000);
  expect(withoutBlockComments(open)).toBe(open);
});

test('choices in a rule’s paths that multiply without end are not written out', async () => {
  const ruleOf = async (paths: string) => {
    const text = `---\npaths: "${paths}"\n---\nx`;
    return (await parseRuleFile({ path: '/p/r.md', origin: 'x', text }, [], '/p')).rule;
  };
  expect(await speaksOf(await ruleOf('{a,b}/{c,d}.{ts,js}'), '/p/b/c.js')).toBe(true);
  expect(await speaksOf(await ruleOf('{a,b}'.repeat(40)), '/p/a')).toBe(false);
});
