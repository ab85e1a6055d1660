import { expect, test } from 'vitest';
import { allOf } from '../../../src/report/page/firstAndLast.js';
import { readTalk } from '../../../src/report/page/talk.js';
import type { TranscriptEntry } from '../../../src/transcript/entry.js';
import { START } from './stories.js';

type Content = string | readonly Readonly<Record<string, unknown>>[];

const entry = (type: 'user' | 'assistant', seconds: number, content: Content): TranscriptEntry => ({
  uuid: 'u',
  parentUuid: null,
  sessionId: 's',
  isSidechain: false,
  type,
  timestamp: new Date(START + seconds * 1000).toISOString(),
  message: { role: type, content },
});
const use = (id: string, name = 'Bash', input: unknown = { command: `run ${id}` }) => ({
  type: 'tool_use',
  id,
  name,
  input,
});
const result = (id: string, content: unknown = 'done', isError = false) => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  ...(isError && { is_error: true }),
});
const text = (words: string) => ({ type: 'text', text: words });
const seconds = (at: number) => (at - START) / 1000;

function talkOf(entries: readonly TranscriptEntry[], maxCalls = 10, denied: readonly string[] = []) {
  const reader = readTalk({ maxCalls, denied: new Set(denied) });
  const heard = entries.map((one) => reader.hear(one));
  return { ...reader.talk(), heard };
}

test('a turn lasts from what begins it to the answer that calls nothing any more', () => {
  const { turns, lastWords } = talkOf([
    entry('user', 1, 'Begin.'),
    entry('assistant', 2, [text('I look.'), use('a')]),
    entry('user', 5, [result('a')]),
    entry('assistant', 6, [text('Found.')]),
    entry('user', 20, 'And now?'),
    entry('assistant', 22, [text('Nothing more.')]),
  ]);
  expect(turns.map(({ from, to }) => [seconds(from), seconds(to)])).toEqual([
    [1, 6],
    [20, 22],
  ]);
  expect(lastWords?.text).toBe('Nothing more.');
});

test('a call is told with what it is about, how it ended and how long it took', () => {
  const { calls, failed } = talkOf(
    [
      entry('assistant', 0, [
        use('a'),
        use('b', 'Read', { file_path: '/x', limit: 1 }),
        use('c'),
        use('d', 'Odd', [1]),
      ]),
      entry('user', 3, [
        result('a'),
        result('b', [text('one'), { type: 'image', source: {} }], true),
        result('c', 'no', true),
      ]),
    ],
    10,
    ['c'],
  );
  expect(allOf(calls).map(({ name, about, outcome, ms }) => [name, about, outcome, ms])).toEqual([
    ['Bash', 'run a', 'ok', 3000],
    ['Read', '/x', 'failed', 3000],
    ['Bash', 'run c', 'denied', 3000],
    ['Odd', '[1]', 'open', undefined],
  ]);
  expect(allOf(calls)[1]?.result?.text).toBe('one\n[image]');
  expect(failed).toBe(1);
});

test('of many calls the first and the last are kept, of long texts the beginning', () => {
  const entries = Array.from({ length: 1000 }, (_, index) => [
    entry('assistant', index, [use(`c${index}`, 'Write', { content: 'x'.repeat(5000) })]),
    entry('user', index, [result(`c${index}`, 'y'.repeat(5000))]),
  ]).flat();
  const { calls } = talkOf(entries, 8);
  expect([calls.first.length, calls.leftOut, calls.last.length]).toEqual([2, 992, 6]);
  expect(calls.last.map(({ at }) => seconds(at))).toEqual([994, 995, 996, 997, 998, 999]);
  expect(calls.last[0]?.result).toEqual({ text: 'y'.repeat(700), cut: 4300 });
  expect(calls.last[0]?.input.text).toHaveLength(500);
});

test('a task is taken up and completed when the tool says so, not when a model asks for it', () => {
  const change = (to: string) => JSON.stringify({ success: true, taskId: '7', statusChange: { from: 'pending', to } });
  const { taskChanges } = talkOf([
    entry('assistant', 0, [use('a', 'TaskUpdate'), use('b', 'TaskUpdate'), use('c', 'TaskUpdate'), use('d')]),
    entry('user', 1, [
      result('a', change('in_progress')),
      result('b', change('completed'), true),
      result('c', 'not JSON'),
      result('d', change('completed')),
    ]),
  ]);
  expect(taskChanges).toEqual([{ task: '7', at: START + 1000, status: 'in_progress' }]);
});

test('a summary that repeats a conversation is none, and a line without a time or a message is counted', () => {
  const boundary = { ...entry('user', 0, ''), type: 'system' as const, subtype: 'compact_boundary', message: [] };
  const { heard, turns } = talkOf([
    boundary,
    { ...entry('user', 1, 'x'), timestamp: 'yesterday' },
    { ...entry('user', 1, 'x'), message: 'bare' },
  ]);
  expect(heard).toEqual([true, false, false]);
  expect(turns).toEqual([]);
});
