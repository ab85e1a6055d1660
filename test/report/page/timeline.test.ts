import { describe, expect, test } from 'vitest';
import { firstAndLastOf } from '../../../src/report/page/firstAndLast.js';
import { markupOf } from '../../../src/report/page/html.js';
import { NO_TALK, type Story } from '../../../src/report/page/story.js';
import { MOST_ARROWS } from '../../../src/report/page/timeline/arrows.js';
import { joined, LEFT, RIGHT, scaleOf, WIDTH, without } from '../../../src/report/page/timeline/scale.js';
import { timeline } from '../../../src/report/page/timeline/timeline.js';
import { allOf, type Element, parsedPage } from './parsed.js';
import { busyStory, emptyStory, memberOf, messageOf, START } from './stories.js';

const SECOND = 1000;
const HOUR = 3600 * SECOND;

function drawn(story: Story): readonly Element[] {
  return parsedPage(`<!doctype html><title>t</title>${markupOf(timeline(story))}`).elements;
}

const ofClass = (elements: readonly Element[], name: string) =>
  elements.filter(({ attributes }) => attributes['class']?.split(' ').includes(name));

describe('the axis', () => {
  test.each([
    [200, '20 ms'],
    [10 * SECOND, '1 s'],
    [13 * SECOND, '2 s'],
    [20 * 60 * SECOND, '2 min'],
    [10 * HOUR, '1 h'],
    [50 * HOUR, '6 h'],
    [20 * 24 * HOUR, '2 d'],
  ])('of %i ms has round times, and few of them', (length, first) => {
    const { ticks, x } = scaleOf({ from: START, to: START + length });
    expect(ticks.length).toBeGreaterThanOrEqual(5);
    expect(ticks.length).toBeLessThanOrEqual(11);
    expect(ticks[1]?.label).toBe(first);
    expect([x(START), x(START + length)]).toEqual([LEFT, RIGHT]);
  });

  test('has room for a run of no length, and for what lies outside of it', () => {
    const { ticks, x } = scaleOf({ from: START, to: START });
    expect(ticks[0]?.x).toBe(LEFT);
    expect([x(0), x(START), x(START + HOUR)]).toEqual([LEFT, LEFT, RIGHT]);
  });
});

test('turns that touch each other in the picture are one bar that says how many it is', () => {
  const scale = scaleOf({ from: START, to: START + 10 * HOUR });
  const turns = Array.from({ length: 1000 }, (_, index) => ({
    from: START + index * SECOND,
    to: START + index * SECOND + 500,
  }));
  expect(joined([...turns, { from: START + HOUR, to: START + 2 * HOUR }], scale, 1.5)).toEqual([
    { from: START, to: START + 999 * SECOND + 500, count: 1000 },
    { from: START + HOUR, to: START + 2 * HOUR, count: 1 },
  ]);
});

test('nobody works while it is dead, however long its call had no result', () => {
  const span = (from: number, to: number) => ({ from, to });
  expect(without([span(0, 10), span(20, 30)], [span(4, 6), span(25, 40)])).toEqual([
    span(0, 4),
    span(6, 10),
    span(20, 25),
  ]);
  const [member, turn] = [memberOf('ann'), span(START, START + 50 * SECOND)];
  const bars = ofClass(
    drawn(
      emptyStory({
        members: [
          {
            ...member,
            talk: { ...NO_TALK, turns: [turn] },
            lives: [span(START, START + 10 * SECOND), span(START + 40 * SECOND, START + 60 * SECOND)],
          },
        ],
      }),
    ),
    'bar',
  ).filter(({ inside }) => inside.length > 0);
  expect(bars.map(({ text }) => text)).toEqual([
    'ann at work for 10 s, from 2026-01-02 03:04:05 UTC',
    'ann at work for 10 s, from 2026-01-02 03:04:45 UTC',
  ]);
});

test.each([2, 20, 40])(
  '%i members have a lane each, sub-agents below their own, and everything is in the picture',
  (count) => {
    const elements = drawn(busyStory({ members: count, length: 10 * HOUR }));
    const [picture] = ofClass(elements, 'timeline');
    const [, , width, height] = picture?.attributes['viewBox']?.split(' ').map(Number) ?? [];
    expect(width).toBe(WIDTH);
    const labels = ofClass(elements, 'label').map(({ text }) => text);
    expect(labels.slice(0, 4)).toEqual(['you', 'lead', 'member-1', 'Look around']);
    expect(labels).toHaveLength(1 + count + Math.floor((count + 2) / 4));
    for (const { attributes } of allOf(elements, 'rect')) {
      expect(Number(attributes['x']) + Number(attributes['width'])).toBeLessThanOrEqual(WIDTH);
      expect(Number(attributes['y']) + Number(attributes['height'])).toBeLessThanOrEqual(height ?? 0);
    }
  },
);

test('messages go from lane to lane, one to all is one line with a tip at each, and too many are counted', () => {
  const members = ['team-lead', 'bob', 'ann'].map((name) => memberOf(name));
  const toAll = messageOf({ from: 'team-lead', to: ['bob', 'ann'], toAll: true, summary: 'begin', at: START + SECOND });
  const mail = (messages: readonly ReturnType<typeof messageOf>[]) =>
    drawn(emptyStory({ members, messages: firstAndLastOf(messages, 5000, 1) }));
  const arrows = (elements: readonly Element[]) =>
    allOf(elements, 'g').filter(({ inside }) => ofClass(inside, 'hit').length === 1 && inside.length === 4);
  const [only, ...others] = arrows(
    mail([
      toAll,
      messageOf({ kind: 'notice' }),
      messageOf({ to: ['nobody'] }),
      messageOf({ from: 'bob', to: ['bob'] }),
    ]),
  );
  expect(others).toEqual([]);
  expect(only?.text).toBe('lead to all: begin');
  expect(ofClass(only?.inside ?? [], 'tip')[0]?.attributes['d']?.match(/Z/g)).toHaveLength(2);
  const many = Array.from({ length: 900 }, (_, index) =>
    messageOf({
      from: index % 2 === 0 ? 'bob' : 'ann',
      to: [index % 2 === 0 ? 'ann' : 'bob'],
      kind: index % 4 < 2 ? 'message' : 'report',
      at: START + index * 66,
    }),
  );
  const all = mail(many);
  expect(arrows(all)).toHaveLength(MOST_ARROWS);
  expect(allOf(all, 'p')[0]?.text).toMatch(/more messages not drawn/);
});

test('a denial that somebody decided on has the mark of that decision, one by a rule has its own', () => {
  const denial = { member: 'ann', tool: 'Bash', about: 'x', because: '' };
  const answer = { at: START + 9000, by: 'user', approve: false, rules: [] };
  const ask = {
    id: '1',
    kind: 'permission' as const,
    from: 'ann',
    tool: 'Bash',
    at: START,
    text: { text: 'x', cut: 0 },
  };
  const denials = [START + 1000, START + 9400].map((at) => ({ ...denial, at }));
  const story = emptyStory({
    members: [memberOf('ann')],
    requests: [{ ...ask, answer }],
    denials: firstAndLastOf(denials, 5, 5),
  });
  const titles = allOf(drawn(story), 'title').map(({ text }) => text);
  expect(titles.filter((title) => title.startsWith('denied: '))).toEqual(['denied: Bash x (03:04:06 UTC)']);
});

test('a mark for each plan, permission, task and death says when and what; those at one place are one', () => {
  const story = busyStory({ members: 4, length: 60 * SECOND });
  const titles = allOf(drawn(story), 'title').map(({ text }) => text);
  expect(titles).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^plan asked by member-1 \(03:04:\d\d UTC\)$/),
      expect.stringMatching(/^plan rejected by lead/),
      expect.stringMatching(/^permission for Bash denied by you/),
      expect.stringMatching(/^denied: Bash rm x /),
      expect.stringMatching(/^task 2 taken up: What member-1 does/),
      expect.stringMatching(/^task 2 completed: What member-1 does/),
      expect.stringMatching(/^member-3 died/),
      expect.stringMatching(/^waits for a decision on its plan: /),
    ]),
  );
  const [lead, ...rest] = story.members;
  const changes = Array.from({ length: 20 }, (_, at) => ({ task: '1', at: START + at, status: 'completed' }));
  const busy = emptyStory({ members: lead ? [{ ...lead, talk: { ...NO_TALK, taskChanges: changes } }, ...rest] : [] });
  expect(allOf(drawn(busy), 'title').map(({ text }) => text.split('\n'))).toContainEqual(
    expect.objectContaining({ length: 9, 8: 'and 12 more' }),
  );
});
