import { expect, test } from 'vitest';
import type { HookEvent } from '../../src/definitions/hook.js';
import { answerOf, type HookEnd, together } from '../../src/hooks/answer.js';

const answer = (event: HookEvent, end: Partial<HookEnd>) =>
  answerOf(event, 'The hook', { exitCode: 0, stdout: '', stderr: '', ...end });
const said = (event: HookEvent, output: object) => answer(event, { stdout: `${JSON.stringify(output)}\n` });

test.each([
  'PreToolUse',
  'UserPromptSubmit',
  'Stop',
  'SubagentStop',
  'TeammateIdle',
  'TaskCreated',
  'TaskCompleted',
  'PreCompact',
] as const)('exit code 2 of a %s hook blocks, with what it wrote on stderr', (event) => {
  expect(answer(event, { exitCode: 2, stderr: 'No.\n', stdout: 'noise' })).toEqual({ block: 'No.', notes: [] });
});

test('exit code 2 blocks with the reason of its JSON where nothing is on stderr, and without any it still blocks', () => {
  expect(answer('Stop', { exitCode: 2, stdout: '{"reason": "Tests fail"}' }).block).toBe('Tests fail');
  expect(answer('Stop', { exitCode: 2 }).block).toBe('No reason was given.');
});

test.each(['PostToolUse', 'PostToolUseFailure'] as const)('exit code 2 of a %s hook is for the model', (event) => {
  expect(answer(event, { exitCode: 2, stderr: 'Format it.' })).toEqual({ context: 'Format it.', notes: [] });
});

test.each(['PermissionRequest', 'SessionStart', 'SubagentStart', 'Notification'] as const)(
  'exit code 2 of a %s hook decides nothing: the person is told',
  (event) => {
    const { notes, ...rest } = answer(event, { exitCode: 2, stderr: 'No.' });
    expect(rest).toEqual({});
    expect(notes).toEqual([`The hook ended with 2, which counts for nothing at ${event}: No.`]);
  },
);

test.each([1, 127, 128])('exit code %d decides nothing: the person is told in a line', (exitCode) => {
  expect(answer('PreToolUse', { exitCode, stderr: 'bash: x: not found\nmore' })).toEqual({
    notes: [`The hook ended with ${exitCode}: bash: x: not found`],
  });
});

test('plain words become context at the beginning of a session and of a prompt, and nowhere else', () => {
  expect(answer('SessionStart', { stdout: 'Today is Monday.\n' }).context).toBe('Today is Monday.');
  expect(answer('UserPromptSubmit', { stdout: 'In main.' }).context).toBe('In main.');
  expect(answer('PreToolUse', { stdout: 'looks fine' })).toEqual({ notes: [] });
  expect(answer('Stop', { stdout: 'bye' })).toEqual({ notes: [] });
});

test('JSON that is broken, or is not what it must be, decides nothing: the person is told', () => {
  expect(answer('PreToolUse', { stdout: '{"decision": block}' })).toEqual({
    notes: ['The hook printed JSON that says nothing: it is not JSON'],
  });
  expect(said('PreToolUse', { hookSpecificOutput: { permissionDecision: 'maybe' } })).toEqual({
    notes: ['The hook printed JSON that says nothing: "hookSpecificOutput.permissionDecision" is not what it must be'],
  });
});

test('a PreToolUse hook allows, asks or denies, changes the input, and adds context', () => {
  const output = (specific: object) =>
    said('PreToolUse', { hookSpecificOutput: { hookEventName: 'PreToolUse', ...specific } });
  expect(output({ permissionDecision: 'deny', permissionDecisionReason: 'Not here.' })).toEqual({
    permission: 'deny',
    permissionReason: 'Not here.',
    notes: [],
  });
  expect(output({ permissionDecision: 'allow' }).permission).toBe('allow');
  expect(output({ permissionDecision: 'defer' }).permission).toBe('ask');
  expect(output({ updatedInput: { command: 'ls' }, additionalContext: 'Be quick.' })).toEqual({
    updatedInput: { command: 'ls' },
    context: 'Be quick.',
    notes: [],
  });
  expect(said('PreToolUse', { decision: 'block', reason: 'Old way.' })).toMatchObject({
    permission: 'deny',
    permissionReason: 'Old way.',
  });
});

test('what is said for another event is left out', () => {
  const output = { hookSpecificOutput: { hookEventName: 'PostToolUse', permissionDecision: 'allow' } };
  expect(said('PreToolUse', output)).toEqual({
    notes: ['The hook answered for PostToolUse at PreToolUse; that is left out.'],
  });
});

test('a PermissionRequest hook answers in the person’s place', () => {
  const decision = { behavior: 'allow', updatedInput: { command: 'ls' } };
  expect(said('PermissionRequest', { hookSpecificOutput: { decision } })).toMatchObject({
    request: { behavior: 'allow' },
    updatedInput: { command: 'ls' },
  });
});

test('continue false stops, with a reason, but not at the creation of a task', () => {
  expect(said('TeammateIdle', { continue: false, stopReason: 'Enough.' }).stop).toBe('Enough.');
  expect(said('TaskCreated', { continue: false, stopReason: 'Enough.' }).stop).toBeUndefined();
  expect(said('TaskCreated', { decision: 'block', reason: 'Too vague.' }).block).toBe('Too vague.');
});

test('a systemMessage is for the person', () => {
  expect(said('Stop', { systemMessage: 'Mind the gap.' })).toEqual({ notes: ['Mind the gap.'] });
});

test('of several answers the strictest wins, and all words are kept', () => {
  const answers = [
    said('PreToolUse', { hookSpecificOutput: { permissionDecision: 'allow', permissionDecisionReason: 'Fine.' } }),
    said('PreToolUse', { hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'One.' } }),
    said('PreToolUse', { hookSpecificOutput: { permissionDecision: 'ask', additionalContext: 'A' } }),
    said('PreToolUse', { hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'Two.' } }),
    said('PreToolUse', { hookSpecificOutput: { additionalContext: 'B' }, systemMessage: 'C' }),
  ];
  expect(together(answers)).toMatchObject({
    permission: 'deny',
    permissionReason: 'One.\nTwo.',
    context: 'A\nB',
    notes: ['C'],
  });
  expect(together(answers.slice(0, 1).concat(answers.slice(2, 3))).permission).toBe('ask');
  expect(together([])).toMatchObject({ permission: undefined, block: undefined, notes: [] });
});

test('what a hook prints as null is not there: its denial counts all the same', () => {
  const output = {
    systemMessage: null,
    hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: null },
  };
  expect(said('PreToolUse', output)).toMatchObject({ permission: 'deny', notes: [] });
});

test('what is null in the input that a hook gives a tool is null for the tool', () => {
  const updatedInput = { filter: null, list: [null, 1], inner: { decision: { x: null } } };
  expect(said('PreToolUse', { hookSpecificOutput: { updatedInput } }).updatedInput).toEqual(updatedInput);
  const decision = { behavior: 'allow', message: null, updatedInput };
  expect(said('PermissionRequest', { hookSpecificOutput: { decision } }).updatedInput).toEqual(updatedInput);
});
