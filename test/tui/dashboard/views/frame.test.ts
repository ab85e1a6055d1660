import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Board, Size } from '../../../../src/tui/dashboard/board.js';
import { step, withNotice } from '../../../../src/tui/dashboard/state.js';
import { widthOf } from '../../../../src/tui/dashboard/views/cells.js';
import { frameOf } from '../../../../src/tui/dashboard/views/frame.js';
import {
  boardOf,
  keyOf,
  member,
  message,
  NOW,
  permission,
  plan,
  press,
  SMALL,
  screenOf,
  task,
  typing,
  WIDE,
} from '../boards.js';

/** Anybody's words: plain ones, what terminals obey, wide and joined characters, halves of characters. */
const words = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc
    .array(
      fc.constantFrom(
        '\x1b[2J',
        '\x9b1m',
        '\u202e',
        '\r',
        '\t',
        '\n',
        '👩‍💻',
        '日本',
        'e\u0301',
        '\ud800',
        '\u200b',
        ' ',
        'plain words',
        '🇩🇪',
        '\u2028',
      ),
      {
        maxLength: 40,
      },
    )
    .map((parts) => parts.join('')),
);

const KEYS = [
  'down',
  'up',
  'tab',
  'backtab',
  'enter',
  'escape',
  'a',
  'A',
  'd',
  'r',
  's',
  'x',
  '/',
  '?',
  'o',
  'end',
  'home',
  'pagedown',
  ' ',
  'n',
  'é',
  'backspace',
];

/** Where a key takes the person, the board has to be drawn too. */
const boards = fc
  .record({
    word: words,
    other: words,
    size: fc.record({ columns: fc.integer({ min: 1, max: 210 }), rows: fc.integer({ min: 1, max: 60 }) }),
    count: fc.integer({ min: 0, max: 70 }),
    keys: fc.array(fc.constantFrom(...KEYS), { maxLength: 12 }),
  })
  .map(({ word, other, size, count, keys }): Board => {
    const many = <T>(make: (id: string) => T) => Array.from({ length: count }, (_, index) => make(String(index)));
    const about = {
      team: word,
      members: many((id) =>
        member(`${word}${id}`, {
          state: 'working',
          activity: other,
          exit: { code: null, signal: word, forced: false },
        }),
      ),
      tasks: many((id) => task(id, { subject: word, owner: other, waitsFor: [word, id] })),
      messages: many((id) => message(id, { from: word, to: other, summary: other, text: word, at: other })),
      waiting: [
        permission('1', `${word}\n${other}`, other),
        plan('2', word),
        { id: '3', kind: 'question' as const, from: word, question: other },
      ],
      transcript: { path: '/t', lines: many((id) => `${id} ${word} ${other}`), isCut: true },
      problem: other,
    };
    const start = withNotice(boardOf(about, size), { text: word, isProblem: true });
    return keys.reduce((board, key) => step(board, keyOf(key)).board, start);
  });

test('whatever the words are, wherever the person is and however large the terminal, each row fits in it and nothing in it moves a cursor', () => {
  fc.assert(
    fc.property(boards, (board) => {
      const frame = frameOf(board);
      expect(frame).toHaveLength(board.size.rows);
      for (const row of frame) {
        for (const { column, line } of row) {
          const text = line.map((span) => span.text).join('');
          expect(text).not.toMatch(/[\0-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/);
          const width = line.reduce((sum, span) => sum + widthOf(span.text), 0);
          expect(column + width, JSON.stringify(text)).toBeLessThanOrEqual(board.size.columns);
        }
      }
    }),
    { numRuns: 80 },
  );
});

test('beside each other, panes keep to their columns', () => {
  const board = boardOf({ members: [member('x'.repeat(60), { activity: '日本'.repeat(90) })] }, WIDE);
  for (const row of frameOf(board)) {
    const [left, ...others] = row;
    const width = left?.line.reduce((sum, span) => sum + widthOf(span.text), 0) ?? 0;
    for (const { column } of others) expect(width).toBeLessThan(column);
  }
});

describe('what is seen', () => {
  const team = {
    members: [
      member('team-lead', { state: 'working', activity: 'Bash' }),
      member('bob', { state: 'working', waitingFor: 'permission', heartbeat: NOW - 150_000, task: '2' }),
      member('ann', { state: 'terminated', exit: { code: null, signal: 'SIGKILL', forced: true } }),
    ],
    tasks: [
      task('1', { status: 'completed' }),
      task('2', { status: 'in_progress', owner: 'bob' }),
      task('3', { waitsFor: ['2'] }),
    ],
    messages: [message('m', { summary: 'Look at the parser' })],
    waiting: [permission('p', 'make all')],
    transcript: { path: '/t', lines: ['● Bash make', 'All is well.'], isCut: false },
  };

  test('members are told with state, doing, task, turns, tokens, cost and when they were seen, in columns', () => {
    const rows = screenOf(boardOf(team, WIDE)).map((row) => row.slice(0, 98).trimEnd());
    expect(rows.slice(0, 6)).toEqual([
      ' red running  3 members  1 of 3 tasks done  45 tokens  $0.750',
      '▸ Members 3',
      '  member     state                 doing                        task  turns  tokens    cost   seen',
      '▸ team-lead  working               Bash                                   3      15  $0.250    2 s',
      '  bob        waits for permission                               #2        3      15  $0.250  3 min',
      '  ann        terminated (SIGKILL)                                         3      15  $0.250    2 s',
    ]);
  });

  test('a wide terminal shows all panes at once, a small one the members and one other', () => {
    const wide = screenOf(boardOf(team, WIDE)).join('\n');
    for (const found of [
      'Waiting for you 1',
      'Bash: make all',
      'Tasks 3',
      'in progress',
      '#2',
      'Messages 1',
      'Look at the parser',
      'Transcript of team-lead',
      'All is well.',
    ])
      expect(wide).toContain(found);
    const small = screenOf(boardOf(team, SMALL)).join('\n');
    for (const found of [
      'Waiting for you 1  Tasks 3  Messages 1  Transcript of team-lead',
      'All is well.',
      '1 waiting for you',
    ])
      expect(small).toContain(found);
    expect(small).not.toContain('Look at the parser');
  });

  test('columns that say nothing, or for which there is no room, are left out', () => {
    const head = (size: Size, more = team) => screenOf(boardOf(more, size))[2] ?? '';
    expect(head(SMALL)).not.toContain('turns');
    expect(head(SMALL)).toContain('doing');
    expect(head(WIDE)).toContain('task');
    const nothing = { ...team, members: [member('bob')] };
    expect(head(WIDE, nothing)).not.toContain('task');
    expect(head(WIDE, nothing)).toContain('doing');
  });

  test('an empty team says so in words', () => {
    const wide = screenOf(boardOf({}, WIDE)).join('\n');
    for (const words_ of ['Nothing waits for you.', 'No tasks yet.', 'No messages yet.', 'Nothing said yet.'])
      expect(wide).toContain(words_);
  });

  test('a team that has ended, or whose lead is gone, is told with what can be done', () => {
    const ended = screenOf(boardOf({ state: 'archived' }));
    expect(ended[0]).toContain('red has ended');
    expect(ended.at(-2)).toContain('The team has ended. This is what it left; q leaves.');
    expect(ended.at(-1)).not.toContain('send');
    expect(screenOf(boardOf({ state: 'crashed' })).at(-2)).toContain('troupe resume red');
    expect(screenOf(boardOf({ problem: 'x.json is broken' })).at(-2)).toContain('x.json is broken');
  });

  test('below 40×10 it says what it needs', () => {
    expect(screenOf(boardOf(team, { columns: 39, rows: 24 }))[0]).toMatch(/^This terminal is too small: 40×10/);
    expect(screenOf(boardOf(team, { columns: 80, rows: 9 }))[0]).toMatch(/too small/);
    expect(screenOf(boardOf(team, { columns: 40, rows: 10 }))[0]).toMatch(/^ red running/);
  });

  test('the keys are at the bottom, those that decide where something waits, and all of them behind ? in lines that fit', () => {
    const keys = (...pressed: string[]) => screenOf(press(boardOf(team), ...pressed).board).at(-1) ?? '';
    expect(keys()).toMatch(/^ q leave · \? keys · Tab/);
    expect(keys('down')).toContain('a allow · A always · d deny');
    expect(keys('s')).toBe(' Enter done · Esc never mind');
    expect(keys('down', 'a')).toContain('y yes · n no');
    const help = screenOf(press(boardOf(), '?').board);
    expect(help[1]).toBe(' Keys');
    expect(help.join('\n')).toContain('q, Ctrl-C            leave; the team goes on');
  });

  test('what is asked for is under the badge of who asks, as a person allows it', () => {
    const frame = frameOf(press(boardOf(team), 'down', 'a').board);
    expect(frame[1]?.[0]?.line.slice(0, 2)).toEqual([
      { text: ' [bob]', style: { member: 'blue' } },
      { text: ' asks to use Bash', style: 'strong' },
    ]);
  });

  test('of a long answer that is typed the end is seen', () => {
    const { board } = press(boardOf(), 's', ...typing('x'.repeat(100)), ...typing('end'));
    expect(screenOf(board).at(-2)).toMatch(/^ To team-lead: x+end▏$/);
  });
});

test('what the first row has no room for is left out whole, and what waits stays', () => {
  const first = (columns: number) =>
    screenOf(boardOf({ waiting: [permission('1', 'make')] }, { columns, rows: 24 }))[0];
  expect(first(80)).toBe(' red running  3 members  0 of 0 tasks done  45 tokens  $0.750 1 waiting for you');
  expect(first(79)).toMatch(/45 tokens +1 waiting for you$/);
  expect(first(40)).toMatch(/^ red running +1 waiting for you$/);
});
