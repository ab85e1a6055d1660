import { expect, test } from 'vitest';
import { envelope } from '../../src/mailbox/envelope.js';
import { messageLines } from '../../src/tui/paneRenderer.js';

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
