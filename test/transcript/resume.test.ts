import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ContentBlockParam, MessageParam } from '../../src/model/types.js';
import type { EntryType, TranscriptEntry } from '../../src/transcript/entry.js';
import { deliveredMail, historyOf, INTERRUPTED, saidIn } from '../../src/transcript/resume.js';

function entry(type: EntryType, message: unknown, more: object = {}): TranscriptEntry {
  return { uuid: 'u', parentUuid: null, sessionId: 's', isSidechain: false, type, timestamp: 't', message, ...more };
}
const user = (content: string | ContentBlockParam[]) => entry('user', { role: 'user', content });
const assistant = (content: string | ContentBlockParam[]) => entry('assistant', { role: 'assistant', content });
const text = (words: string): ContentBlockParam => ({ type: 'text', text: words });
const call = (id: string): ContentBlockParam => ({ type: 'tool_use', id, name: 'Read', input: {} });
const result = (id: string): ContentBlockParam => ({ type: 'tool_result', tool_use_id: id, content: 'ok' });
const interrupted = (id: string): ContentBlockParam => ({
  type: 'tool_result',
  tool_use_id: id,
  is_error: true,
  content: INTERRUPTED,
});

test('a whole conversation comes back as it was', () => {
  expect(
    historyOf([
      user('hi'),
      assistant([text('looking'), call('a')]),
      user([result('a'), text('mail')]),
      assistant('done'),
    ]),
  ).toEqual([
    { role: 'user', content: [text('hi')] },
    { role: 'assistant', content: [text('looking'), call('a')] },
    { role: 'user', content: [result('a'), text('mail')] },
    { role: 'assistant', content: [text('done')] },
  ]);
});

test.each(['compact_boundary', 'inherited'])(
  'behind a line "%s" it begins with the messages of that line',
  (subtype) => {
    const messages: MessageParam[] = [
      { role: 'user', content: [text('summary')] },
      { role: 'assistant', content: [call('b')] },
    ];
    const boundary = entry('system', messages, { subtype });
    expect(historyOf([user('old'), assistant([call('a')]), boundary, user([result('b')]), assistant('on')])).toEqual([
      ...messages,
      { role: 'user', content: [result('b')] },
      { role: 'assistant', content: [text('on')] },
    ]);
  },
);

test('whoever looks at a transcript sees all of it, calls that still run too, and where a summary took over', () => {
  const boundary = entry('system', [{ role: 'user', content: 'summary' }], { subtype: 'compact_boundary' });
  const inherited = entry('system', [{ role: 'user', content: 'the parent’s' }], { subtype: 'inherited' });
  expect(saidIn([inherited, user('old'), boundary, assistant([call('a')])])).toEqual([
    { role: 'user', content: [text('old')] },
    'summary',
    { role: 'assistant', content: [call('a')] },
  ]);
});

test('a call at the end without a result is answered as interrupted', () => {
  expect(historyOf([user('hi'), assistant([call('a'), call('b')])]).at(-1)).toEqual({
    role: 'user',
    content: [interrupted('a'), interrupted('b')],
  });
});

test('a call whose result never came is answered first thing in the message behind it', () => {
  expect(
    historyOf([user('hi'), assistant([call('a'), call('b')]), user([text('mail'), result('b')]), user('next')]).at(-1),
  ).toEqual({
    role: 'user',
    content: [interrupted('a'), result('b'), text('mail'), text('next')],
  });
});

test('results that answer no call are left out, and so is a second one', () => {
  expect(
    historyOf([
      user([result('z'), text('hi')]),
      assistant([call('a')]),
      user([result('a'), result('a')]),
      user([result('a')]),
    ]),
  ).toEqual([
    { role: 'user', content: [text('hi')] },
    { role: 'assistant', content: [call('a')] },
    { role: 'user', content: [result('a')] },
  ]);
});

test('the conversation goes on from the last compaction, and lines that are no messages are no part of it', () => {
  const boundary = entry('system', { text: 'compacted' }, { subtype: 'compact_boundary' });
  expect(
    historyOf([user('old'), boundary, user('summary'), entry('attachment', { a: 1 }), entry('user', 'broken')]),
  ).toEqual([{ role: 'user', content: [text('summary')] }]);
});

test('mail that a line delivered is known, also from before a compaction', () => {
  const boundary = entry('system', {}, { subtype: 'compact_boundary' });
  expect(
    deliveredMail([
      entry('user', {}, { msg_ids: ['a', 'b'] }),
      boundary,
      entry('user', {}, { msg_ids: ['c'] }),
      user('x'),
    ]),
  ).toEqual(new Set(['a', 'b', 'c']));
});

test('whatever lines a crash left, the history is one that the API takes', () => {
  const block = fc.oneof(fc.constantFrom('a', 'b', 'c').map(result), fc.constantFrom('', 'words').map(text));
  let calls = 0;
  const said = fc.oneof(fc.constant('call' as const), fc.constant('words' as const));
  const line = fc.oneof(
    fc.array(block, { maxLength: 3 }).map((content) => user(content)),
    fc
      .array(said, { maxLength: 3 })
      .map((blocks) =>
        assistant(blocks.map((kind) => (kind === 'call' ? call(`${'abc'[calls++ % 3]}${calls}`) : text('words')))),
      ),
    fc.constant(assistant([call('a')])),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
      expect(problemOf(historyOf(lines))).toBeUndefined();
    }),
    { numRuns: 1000 },
  );
});

function problemOf(history: readonly MessageParam[]): string | undefined {
  for (const [index, { role, content }] of history.entries()) {
    if (role !== (index % 2 === 0 ? 'user' : 'assistant')) return `message ${index} is of ${role}`;
    if (typeof content === 'string' || content.length === 0) return `message ${index} is empty`;
    const before = history[index - 1]?.content ?? [];
    const asked =
      typeof before === 'string' ? [] : before.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
    const answered = content
      .slice(0, asked.length)
      .map((block) => (block.type === 'tool_result' ? block.tool_use_id : '-'));
    if (asked.join() !== answered.join())
      return `message ${index} answers ${answered.join()} instead of ${asked.join()}`;
    if (content.slice(asked.length).some(({ type }) => type === 'tool_result'))
      return `message ${index} answers too much`;
  }
  const last = history.at(-1);
  return last?.role === 'assistant' &&
    typeof last.content !== 'string' &&
    last.content.some(({ type }) => type === 'tool_use')
    ? 'an open call'
    : undefined;
}
