import { expect, test } from 'vitest';
import { withDoings } from '../../src/headless/doings.js';

const usage = { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
const members = [
  { name: 'team-lead', state: 'idle', turns: 1, usage, costUsd: 0 },
  { name: 'bob', state: 'working', activity: 'Bash', turns: 2, usage, costUsd: 0.12345 },
] as const;
const tasks = [
  { member: 'team-lead', type: 'agent', description: 'Look', activity: 'Grep' },
  { member: 'bob', type: 'shell', description: 'sleep 600' },
] as const;

test.each([3, 4, 124, 130, 143] as const)(
  'a run that ends with %i before the work is done names every member, and what each has running',
  (exitCode) => {
    const end = { subtype: 'interrupted', exitCode, text: 't', errors: ['Too late.'] } as const;
    expect(withDoings(end, members, tasks)).toEqual({
      ...end,
      errors: [
        'Too late.',
        'team-lead: idle, 1 turn, $0.0000',
        'bob: working (Bash), 2 turns, $0.1235',
        'team-lead: agent "Look" still at work (Grep)',
        'bob: command "sleep 600" still at work',
      ],
    });
  },
);

test.each([0, 1, 2, 5, 75] as const)('a run that ends with %i says nothing of who did what', (exitCode) => {
  const end = { subtype: 'success', exitCode, text: 't', errors: [] } as const;
  expect(withDoings(end, members, tasks)).toEqual(end);
});
