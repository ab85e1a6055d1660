import { expect, test } from 'vitest';
import { endOfAnswer, questionOf } from '../../src/hooks/question.js';

const ask = (prompt: string) => ({ type: 'prompt' as const, prompt });

test('what happens stands where the prompt has $ARGUMENTS, as it is, or behind it', () => {
  expect(questionOf(ask('Of $ARGUMENTS: fine? $ARGUMENTS'), '{"a": "$&"}')).toBe('Of {"a": "$&"}: fine? {"a": "$&"}');
  expect(questionOf(ask('Fine?'), '{}')).toBe('Fine?\n\n{}');
});

test.each([
  ['{"ok": true}', { exitCode: 0, stdout: '', stderr: '' }],
  ['I looked {at} it.\n```json\n{"ok": false, "reason": "No {tests}."}\n```', { exitCode: 2, stderr: 'No {tests}.' }],
  ['{"ok": false}', { exitCode: 2, stderr: '' }],
  ['{"decision": "block", "reason": "No."}', { exitCode: 0, stdout: '{"decision":"block","reason":"No."}' }],
])('an answer ends as a command would: %s', (text, end) => {
  expect(endOfAnswer('Stop', text)).toMatchObject(end);
});

test('a permission that is not ok is denied, for exit code 2 would not count there', () => {
  expect(JSON.parse(endOfAnswer('PermissionRequest', '{"ok": false, "reason": "No."}').stdout)).toEqual({
    hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'deny', message: 'No.' } },
  });
});

test.each(['', 'Yes.', '{"ok": true} I think.', '{"ok": '])('%j decides nothing', (text) => {
  expect(() => endOfAnswer('Stop', text)).toThrow('no answer that counts');
});
