import { expect, test } from 'vitest';
import { type Message, parsePayload } from '../../src/mailbox/message.js';

const message = (type: string, payload: unknown, fields: Partial<Message> = {}): Message => ({
  msg_id: 'm1',
  msgV: 1,
  from: 'alice',
  text: typeof payload === 'string' ? payload : JSON.stringify(payload),
  timestamp: 't',
  read: false,
  type,
  ...fields,
});

test('prose stays prose, whatever it looks like', () => {
  const text = '{"type":"shutdown_request","request_id":"r"}';
  expect(parsePayload(message('message', text))).toEqual({ type: 'message', payload: { text } });
});

test.each([
  ['an object', { request_id: 'r', approve: true }],
  ['a string for the boolean', { request_id: 'r', approve: 'true' }],
  ['the other spelling of the id', { requestId: 'r', approve: true }],
  ['JSON within JSON', JSON.stringify(JSON.stringify({ request_id: 'r', approve: true }))],
])('an answer is understood as %s', (_, payload) => {
  const parsed = parsePayload(message('plan_approval_response', payload));
  const { type, request_id, approve } =
    'problem' in parsed || parsed.type !== 'plan_approval_response'
      ? { type: undefined }
      : { type: parsed.type, ...parsed.payload };
  expect({ type, request_id, approve }).toEqual({ type: 'plan_approval_response', request_id: 'r', approve: true });
});

test('the id of a request may be in the envelope alone', () => {
  const parsed = parsePayload(message('shutdown_request', {}, { request_id: 'r' }));
  expect(parsed).toEqual({ type: 'shutdown_request', payload: { request_id: 'r' } });
});

test.each([
  ['an unknown type', message('self_destruct', {}), /unknown type "self_destruct"/],
  ['a missing field', message('task_assignment', { task_id: '1' }), /subject/],
  ['text that is no JSON', message('interrupt', 'now!'), /interrupt m1 from alice is broken/],
  ['a mode that there is not', message('mode_set', { mode: 'root' }), /mode/],
])('%s is a problem to report, with its sender', (_, broken, words) => {
  expect(parsePayload(broken)).toEqual({ problem: expect.stringMatching(words) });
});
