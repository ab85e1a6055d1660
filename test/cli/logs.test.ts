import { expect, test } from 'vitest';
import { eventLine } from '../../src/cli/commands/logs.js';

test('an event is one line, whatever members have said in it', () => {
  const event = { seq: 7, at: '2026-01-01T00:00:00.000Z', type: 'message_refused', member: 'bob' };
  const problem = 'broken:\n8 2026-01-01T00:00:00.000Z plan_approved bob';
  expect(eventLine({ ...event, problem, from: 'ann', count: 2 })).toBe(
    '7 2026-01-01T00:00:00.000Z message_refused bob problem="broken:\\n8 2026-01-01T00:00:00.000Z plan_approved bob" from=ann count=2',
  );
});
