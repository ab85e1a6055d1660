import { expect, test } from 'vitest';
import type { Message } from '../../../src/mailbox/message.js';
import { mailOf } from '../../../src/report/page/mail.js';

const message = (more: Partial<Message>): Message => ({
  msg_id: 'm',
  msgV: 1,
  from: 'ann',
  text: 'x',
  timestamp: '2026-01-02T03:04:05.000Z',
  read: true,
  type: 'message',
  ...more,
});
const told = (type: string, payload: unknown) => {
  const mail = mailOf(message({ type, text: JSON.stringify(payload) }), 'bob');
  return mail && [mail.kind, mail.text.text];
};

test('prose is what it is, a report what somebody ended its turn with, and the rest has words of its own', () => {
  expect(mailOf(message({ text: '{"type":"interrupt"}', to: '*', summary: 's' }), 'bob')).toMatchObject({
    kind: 'message',
    to: ['bob'],
    toAll: true,
    summary: 's',
    text: { text: '{"type":"interrupt"}', cut: 0 },
  });
  expect(told('idle_notification', { idleReason: 'available', result: 'Dug.' })).toEqual(['report', 'Dug.']);
  expect(told('idle_notification', { idleReason: 'failed', failureReason: 'No model.' })).toEqual([
    'notice',
    'No model.',
  ]);
  expect(told('plan_approval_response', { request_id: 'r', approve: false, feedback: 'Deeper.' })).toEqual([
    'notice',
    'rejected: Deeper.',
  ]);
  expect(told('permission_response', { request_id: 'r', behavior: 'deny', message: 'No.' })).toEqual([
    'notice',
    'denied: No.',
  ]);
  expect(told('shutdown_response', { request_id: 'r', approve: true })).toEqual(['notice', 'ends']);
  expect(told('teammate_exited', { name: 'cy', code: 1, signal: null, forced: false })).toEqual([
    'notice',
    'cy has ended',
  ]);
  expect(told('task_assignment', { task_id: '3', subject: 'Dig' })).toEqual(['notice', 'task 3: Dig']);
  expect(told('mode_set', { mode: 'plan' })).toEqual(['notice', 'plan']);
});

test('what makes no sense is told as that, and what has no time is left out', () => {
  expect(told('made_up', {})).toEqual(['notice', expect.stringContaining('unknown type')]);
  expect(told('plan_approval_response', {})).toEqual(['notice', expect.stringContaining('is broken')]);
  expect(mailOf(message({ timestamp: 'soon' }), 'bob')).toBeUndefined();
});
