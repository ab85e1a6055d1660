import { expect, test } from 'vitest';
import { envelope } from '../../src/mailbox/envelope.js';
import { linesOf, messageLines } from '../../src/tui/paneRenderer.js';

const text = (words: string) => ({ type: 'text' as const, text: words });

test('a list of steps is shown whole, with what is done and what goes on', () => {
  const todo = (content: string, status: string) => ({ content, status, activeForm: `${content}…` });
  const input = { todos: [todo('read', 'completed'), todo('write\nit', 'in_progress'), todo('test', 'pending')] };
  const call = { type: 'tool_use' as const, id: 't', name: 'TodoWrite', input };
  expect(messageLines({ role: 'assistant', content: [call] })).toEqual([
    '● To do',
    '  ☑ read',
    '  ▸ write it',
    '  ☐ test',
  ]);
  const wrong = { ...call, input: { todos: 'x' } };
  expect(messageLines({ role: 'assistant', content: [wrong] })).toEqual(['● TodoWrite {"todos":"x"}']);
});

test('an agent’s words are shown whole, its calls and their results a line each', () => {
  const call = {
    type: 'tool_use' as const,
    id: 't',
    name: 'Bash',
    input: { command: 'npm test\n-- --all', timeout: 5 },
  };
  expect(messageLines({ role: 'assistant', content: [text('First.\n\nSecond.'), call] })).toEqual([
    'First.',
    '',
    'Second.',
    '● Bash npm test -- --all',
  ]);
  const results = ['ok\nfine', 'x'.repeat(500)].map((content) => ({
    type: 'tool_result' as const,
    tool_use_id: 't',
    content,
  }));
  const [good = '', long = ''] = messageLines({ role: 'user', content: results });
  expect(good).toBe('  ⎿ ok fine');
  expect(long.length).toBeLessThan(170);
  const failed = { type: 'tool_result' as const, tool_use_id: 't', content: 'no', is_error: true };
  expect(messageLines({ role: 'user', content: [failed] })).toEqual(['  ✗ no']);
});

test('mail is shown with its sender, typed text as typed, and what the harness adds not at all', () => {
  const mail = envelope({ from: 'alice', color: 'blue', summary: 'a fix', msg_id: 'm1', text: 'It is mended.' });
  const content = [
    text('<git-status>\nBranch: main\n</git-status>'),
    text('<team-information>\n</team-information>'),
    text('Hello.'),
    text(mail),
  ];
  expect(messageLines({ role: 'user', content })).toEqual(['> Hello.', '← alice: It is mended.']);
});

test('what tools of the team answer as data is shown in words, and anything else as it is', () => {
  const shownAs = (content: string) =>
    messageLines({ role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content }] });
  const update = { success: true, taskId: '2', updatedFields: ['status', 'owner'] };
  const statusChange = { from: 'pending', to: 'in_progress' };
  expect(shownAs(JSON.stringify({ ...update, statusChange }))).toEqual(['  ⎿ task 2: pending → in_progress, owner']);
  expect(shownAs(JSON.stringify({ ...update, updatedFields: [] }))).toEqual(['  ⎿ task 2: as it was']);
  expect(shownAs(JSON.stringify({ task: { id: '3', subject: 'Look' } }))).toEqual(['  ⎿ task 3: Look']);
  expect(shownAs(JSON.stringify({ plan: '1. Look', awaitingLeaderApproval: true, requestId: 'r' }))).toEqual([
    '  ⎿ the plan waits for approval',
  ]);
  const spawned = { status: 'teammate_spawned', name: 'bob', paneId: '%2' };
  expect(shownAs(JSON.stringify(spawned))).toEqual(['  ⎿ bob has started']);
  for (const other of ['{"success":true,"taskId":"2"}', '{"plan":', '{"status":"ok"}'])
    expect(shownAs(other)).toEqual([`  ⎿ ${other}`]);
});

test('a question is shown on its card alone, not in its call too', () => {
  const input = { questions: [{ question: 'x' }] };
  const call = { type: 'tool_use' as const, id: 't', name: 'AskUserQuestion', input };
  expect(messageLines({ role: 'assistant', content: [call] })).toEqual(['● AskUserQuestion']);
});

test('a denial is shown once, as the result that the agent reads', () => {
  const caller = { type: 'direct' as const };
  const call = { type: 'tool_use' as const, id: 't', name: 'Bash', input: { command: 'ls' }, caller };
  const because = 'Denied: Bash: ls.';
  const result = { type: 'tool_result' as const, tool_use_id: 't', content: because, is_error: true };
  expect([
    ...linesOf({ type: 'tool_denied', call, because }),
    ...linesOf({ type: 'results', message: { role: 'user', content: [result] } }),
  ]).toEqual([`  ✗ ${because}`]);
});
