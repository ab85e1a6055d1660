import { expect, test } from 'vitest';
import { type Conversation, HELP, obey } from '../../src/app/members/conversation.js';

/** Says what it was asked to do. */
const echo = new Proxy({} as Conversation, {
  get:
    (_, name) =>
    (...given: unknown[]) =>
      Promise.resolve(JSON.stringify([name, ...given])),
});

test.each([
  ['  Look at the parser. ', ['tell', 'Look at the parser.']],
  ['/send alice  look at\tthis', ['send', 'alice', 'look at\tthis']],
  ['/send * all of you', ['send', '*', 'all of you']],
  ['/approve 1a2b', ['plan', '1a2b', true, '']],
  ['/approve 1a2b mind the tests', ['plan', '1a2b', true, 'mind the tests']],
  ['/reject 1a2b too wide', ['plan', '1a2b', false, 'too wide']],
  ['/allow 1a2b', ['permission', '1a2b', { allow: true, always: false, reason: '' }]],
  ['/always 1a2b', ['permission', '1a2b', { allow: true, always: true, reason: '' }]],
  ['/deny 1a2b use npm', ['permission', '1a2b', { allow: false, always: false, reason: 'use npm' }]],
  ['/shutdown alice', ['shutdown', 'alice']],
  ['/mode plan', ['mode', 'plan', '']],
  ['/mode acceptEdits alice', ['mode', 'acceptEdits', 'alice']],
  ['/interrupt', ['interrupt', '']],
  ['/interrupt alice ', ['interrupt', 'alice']],
  ['/dashboard', ['dashboard']],
  ['/down', ['down']],
])('%s is understood', async (line, meant) => {
  expect(JSON.parse(await obey(line, echo))).toEqual(meant);
});

test('a skill is asked for by its name, which no command has', async () => {
  expect(JSON.parse(await obey('/review the docs', echo))).toEqual(['skill', 'review', '/review the docs']);
});

test('an empty line does nothing, help lists every command in lines that fit a small terminal, and a slip is told with the nearest', async () => {
  expect(await obey('   ', echo)).toBe('');
  expect(await obey('/help', echo)).toBe(HELP);
  for (const line of HELP.split('\n')) expect(line.length, line).toBeLessThan(80);
  const withoutSkills = { ...echo, skill: async () => undefined };
  await expect(obey('/aprove 1a2b', withoutSkills)).rejects.toThrow('Did you mean "approve"?');
  await expect(obey('/approve', echo)).rejects.toThrow('Something is missing');
});
