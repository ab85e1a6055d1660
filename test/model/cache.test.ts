import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withBreakpoints } from '../../src/model/cache.js';
import type { ContentBlockParam, MessageParam } from '../../src/model/types.js';

const mark = { type: 'ephemeral' };
const text = (words: string): ContentBlockParam => ({ type: 'text', text: words });

test('the system prompt and the last two user messages are marked at their last block', () => {
  const marked = withBreakpoints({
    system: [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ],
    messages: [
      { role: 'user', content: 'one' },
      { role: 'assistant', content: [text('two')] },
      { role: 'user', content: [text('three'), text('four')] },
      { role: 'assistant', content: [text('five')] },
      { role: 'user', content: 'six' },
    ],
  });
  expect(marked).toEqual({
    system: [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b', cache_control: mark },
    ],
    messages: [
      { role: 'user', content: 'one' },
      { role: 'assistant', content: [text('two')] },
      { role: 'user', content: [text('three'), { ...text('four'), cache_control: mark }] },
      { role: 'assistant', content: [text('five')] },
      { role: 'user', content: [{ ...text('six'), cache_control: mark }] },
    ],
  });
});

test('thinking and empty text are passed over', () => {
  const thinking: ContentBlockParam = { type: 'thinking', thinking: 'hm', signature: 's' };
  const { messages } = withBreakpoints({ messages: [{ role: 'user', content: [text('here'), text(''), thinking] }] });
  expect(messages).toEqual([{ role: 'user', content: [{ ...text('here'), cache_control: mark }, text(''), thinking] }]);
});

test('there are never more than three marks, whatever was marked before, and the arguments stay as they are', () => {
  const block = fc
    .record({ type: fc.constant('text' as const), text: fc.string() })
    .map((plain): ContentBlockParam => ({ ...plain, cache_control: { type: 'ephemeral' } }));
  const message = fc.record({
    role: fc.constantFrom('user' as const, 'assistant' as const),
    content: fc.oneof(fc.string(), fc.array(block)),
  });
  fc.assert(
    fc.property(fc.array(message), (history) => {
      const params = { system: [{ type: 'text' as const, text: 's' }], messages: history satisfies MessageParam[] };
      const before = JSON.stringify(params);
      const once = withBreakpoints(params);
      expect(JSON.stringify(once).split('cache_control').length - 1).toBeLessThanOrEqual(3);
      expect(withBreakpoints(once)).toEqual(once);
      expect(JSON.stringify(params)).toBe(before);
    }),
  );
});

test('a message without marks is passed on itself: a long history is not copied for each request', () => {
  const messages: MessageParam[] = [
    { role: 'user', content: [text('one')] },
    { role: 'assistant', content: [text('two')] },
    { role: 'user', content: [text('three')] },
    { role: 'assistant', content: [text('four')] },
    { role: 'user', content: [text('five')] },
  ];
  const marked = withBreakpoints({ messages }).messages;
  expect(marked.map((message, index) => message === messages[index])).toEqual([true, true, false, true, false]);
});
