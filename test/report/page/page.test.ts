import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { firstAndLastOf } from '../../../src/report/page/firstAndLast.js';
import { PAGE_BEGINNING, reportPage } from '../../../src/report/page/page.js';
import { clip, type Story } from '../../../src/report/page/story.js';
import { allOf, type Element, parsedPage } from './parsed.js';
import { busyStory, callOf, emptyStory, memberOf, messageOf, START } from './stories.js';

const BUSY = busyStory({ members: 4, length: 600_000 });
const SMALL = busyStory({ members: 2, length: 600_000 });

/** Words of ours, which decide on how something is shown. */
const OURS = new Set(['kind', 'outcome']);

/** The story with `more` behind every text that came from outside. */
function withEverywhere(more: string): Story {
  const changed = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return OURS.has(key) ? value : value + more;
    if (Array.isArray(value)) return value.map((item) => changed(item, key));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [key === 'models' ? name + more : name, changed(inner, name)]),
    );
  };
  return changed(SMALL, '') as Story;
}

/** Names and attributes of all elements, without the values of those that are read by people alone. */
function skeleton(page: string): string {
  const lines = parsedPage(page).elements.map(({ name, attributes }) => {
    const written = Object.entries(attributes).map(([key, value]) =>
      ['class', 'id', 'href', 'data-who', 'data-kind', 'http-equiv', 'content', 'd', 'x', 'y'].includes(key)
        ? `${key}=${value}`
        : key,
    );
    return [name, ...written].join(' ');
  });
  return lines.join('\n');
}

describe('whatever a team writes', () => {
  test('the page has the elements and attributes that it has anyway', () => {
    const harmless = skeleton(reportPage(withEverywhere('x')));
    const parts = fc.constantFrom(
      '<',
      '>',
      '"',
      "'",
      '&',
      '</pre>',
      '</script>',
      '<script>',
      '<img src=x>',
      '-->',
      '\0',
    );
    const text = fc.array(fc.oneof(parts, fc.string({ unit: 'binary', maxLength: 6 })), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(text, (more) => {
        const page = reportPage(withEverywhere(`x${more.join('')}`));
        expect(skeleton(page)).toBe(harmless);
      }),
      { numRuns: 12 },
    );
  });

  test('nothing is loaded, linked or run but what the policy knows by its hash', () => {
    const { all, elements } = parsedPage(reportPage(withEverywhere('<a href="http://x">')));
    const policy = all('meta', 'http-equiv', 'Content-Security-Policy')[0]?.attributes['content'];
    const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    const [style, ...otherStyles] = all('style');
    const [script, ...otherScripts] = all('script');
    expect([...otherStyles, ...otherScripts]).toEqual([]);
    expect(policy).toBe(
      `default-src 'none'; style-src ${hash(style?.text ?? '')}; script-src ${hash(script?.text ?? '')}; base-uri 'none'; form-action 'none'`,
    );
    const attributes = elements.flatMap((element) => Object.entries(element.attributes));
    expect(attributes.filter(([name]) => /^(on.*|src|srcset|style|action|xlink:href)$/.test(name))).toEqual([]);
    expect(attributes.filter(([name, value]) => name === 'href' && !value.startsWith('#'))).toEqual([]);
  });
});

test('the page is what a browser expects: no error in it, each id once, each link to a place on it', () => {
  const page = reportPage(BUSY);
  const { errors, elements, all } = parsedPage(page);
  expect(page.startsWith(PAGE_BEGINNING)).toBe(true);
  expect(errors).toEqual([]);
  const ids = elements.flatMap(({ attributes }) => attributes['id'] ?? []);
  expect(ids).toEqual([...new Set(ids)]);
  expect(all('a').filter(({ attributes }) => !ids.includes(attributes['href']?.slice(1) ?? ''))).toEqual([]);
  expect(all('h1')).toHaveLength(1);
  expect(all('nav')[0]?.text).toContain('Permissions');
});

test('the head says whose run it was, what it took, and that secrets may be on the page', () => {
  const { all } = parsedPage(reportPage(BUSY));
  const [header] = all('header');
  expect(header?.text).toContain('Secrets may be among it');
  expect(header?.text).toContain('10 min');
  expect(header?.text).toContain('$1.50');
  expect(header?.text).toContain('70\u202f%');
  expect(header?.text).toContain('2026-01-02 03:04:05 UTC');
});

test('a team that has done nothing has a page too, with no section that is empty', () => {
  const { all, errors } = parsedPage(reportPage(emptyStory({ members: [memberOf('team-lead')] })));
  expect(errors).toEqual([]);
  expect(all('h2').map(({ text }) => text)).toEqual(['Timeline', 'Members', 'Tool calls', 'Costs']);
});

test('messages are a conversation, and the filter knows whose each is', () => {
  const story = emptyStory({
    members: [memberOf('team-lead'), memberOf('Bob'), memberOf('ann')],
    messages: firstAndLastOf(
      [
        messageOf(),
        messageOf({ from: 'team-lead', to: ['bob', 'ann'], toAll: true, summary: 'a start' }),
        messageOf({ from: 'ann', to: ['team-lead'], kind: 'notice', type: 'plan_approval_request' }),
        messageOf({ from: 'nobody', to: ['ann'], text: clip(`Long. ${'z'.repeat(2000)}`, 1500) }),
      ],
      10,
      10,
    ),
  });
  const [, ...rest] = parsedPage(reportPage(story))
    .byId('mail')
    .inside.filter(({ name }) => name === 'li');
  expect(parsedPage(reportPage(story)).byId('mail').inside[0]?.attributes['data-who']).toBe('u 0');
  expect(rest.map(({ attributes }) => [attributes['data-who'], attributes['data-kind']])).toEqual([
    ['0 1 2', 'message'],
    ['2 0', 'notice'],
    ['x 2', 'message'],
  ]);
  expect(rest[0]?.text).toContain('lead to all (2) 03:04:05');
  expect(rest[1]?.text).toContain('plan approval request');
  expect(rest[2]?.text).toContain('506 more characters left out.');
});

test('plans and permissions say who decided what, how soon and with which words', () => {
  const ask = { from: 'ann', at: START, text: clip('Dig.', 10) };
  const answer = { at: START + 2500, by: 'user', approve: false, words: 'Deeper.', rules: [] };
  const story = emptyStory({
    members: [memberOf('ann')],
    denials: firstAndLastOf(
      [{ at: START, member: 'ann', tool: 'Bash', about: 'rm -r x', because: 'The rule Bash(rm *) denies it.' }],
      1,
      1,
    ),
    requests: [
      { ...ask, id: '1', kind: 'plan', answer },
      { ...ask, id: '2', kind: 'plan' },
      {
        ...ask,
        id: '3',
        kind: 'permission',
        tool: 'Bash',
        answer: { at: START, by: 'user', approve: true, rules: ['Bash(ls *)'] },
      },
    ],
  });
  const { byId } = parsedPage(reportPage(story));
  expect(allOf(byId('plans').inside, 'article').map(({ text }) => text)).toEqual([
    expect.stringContaining('rejected by you, 03:04:07, after 2.5 s: Deeper.'),
    expect.stringContaining('not decided'),
  ]);
  expect(byId('permissions').text).toContain(
    'allowed by you, 03:04:05, after 0 ms. For the whole team from then on: Bash(ls *)',
  );
  expect(byId('permissions').text).toContain('03:04:05annBashrm -r xThe rule Bash(rm *) denies it.');
});

test('each call is there with its input, its result and how it ended, and what was left out is said', () => {
  const calls = [
    callOf({ about: 'npm test', outcome: 'failed', result: clip('1 failed', 100), ms: 1200 }),
    callOf({ name: 'Write', outcome: 'denied' }),
    callOf({ outcome: 'open' }),
  ];
  const member = memberOf('ann');
  const story = emptyStory({
    members: [
      {
        ...member,
        talk: { ...member.talk, failed: 1, calls: { first: calls.slice(0, 1), leftOut: 7, last: calls.slice(1) } },
      },
    ],
  });
  const section = parsedPage(reportPage(story)).byId('calls-0');
  expect(section.text).toContain('10 tool calls, 1 failed');
  const entries = section.inside.filter(({ name }) => name === 'li').map(({ text }) => text.trim());
  expect(entries).toEqual([
    expect.stringMatching(/03:04:05 Bash npm test failed 1\.2 s\s*Input\s*ls\s*Result\s*1 failed/),
    '7 calls in between left out.',
    expect.stringMatching(/Write ls denied/),
    expect.stringMatching(/Bash ls no result/),
  ]);
});

test('tasks have their owners, what they wait for, and what became of them', () => {
  const rows = allOf(parsedPage(reportPage(BUSY)).byId('tasks').inside, 'tr');
  const words = (row: Element | undefined) => row?.text.replace(/\s+/g, ' ');
  expect(words(rows[1])).toMatch(
    /^1 What team-lead doesDescriptionRead, think, write\. completed lead 03:\d\d:\d\d in progress, lead03:\d\d:\d\d completed, lead$/,
  );
  expect(allOf(rows[3]?.inside ?? [], 'a', 'href', '#task-1')).toHaveLength(1);
});

test('costs are told by member and by model, and sum up', () => {
  const section = parsedPage(reportPage(BUSY)).byId('costs');
  const rows = allOf(section.inside, 'tr').map(({ text }) => text.trim());
  expect(rows).toContain('Total6001\u202f2004\u202f20030070\u202f%$1.50');
  expect(rows.at(-2)).toBe('claude-opus-5-54008002\u202f80020070\u202f%$1.00');
});
