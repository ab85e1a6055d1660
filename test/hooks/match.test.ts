import { expect, test } from 'vitest';
import { HooksByEvent, hookNotices } from '../../src/definitions/hook.js';
import { handlersFor, type Occasion } from '../../src/hooks/match.js';

const source = (events: object, more: object = {}) => ({
  file: 'settings.json',
  events: HooksByEvent.parse(events),
  ...more,
});
const hook = (command: string, more: object = {}) => ({ type: 'command', command, ...more });
const commandsFor = (events: object, occasion: Occasion) =>
  handlersFor([source(events)], occasion).map((found) => found.hook.type === 'command' && found.hook.command);
const isMatched = (matcher: string | undefined, subject: string, event: Occasion['event'] = 'PreToolUse') =>
  commandsFor(
    { [event]: [{ ...(matcher !== undefined && { matcher }), hooks: [hook('x')] }] },
    { event, subject, touches: () => true },
  ).length === 1;

test.each([undefined, '', '*'])('the matcher %j stands for everything', (matcher) => {
  expect(isMatched(matcher, 'Bash')).toBe(true);
});

test.each([
  ['Bash', 'Bash', true],
  ['Bash', 'BashOutput', false],
  ['Edit|Write', 'Write', true],
  ['Edit, Write', 'Write', true],
  ['Edit|Write', 'MultiWrite', false],
  ['Ed.*', 'NotebookEdit', true],
  ['^Ed.*', 'NotebookEdit', false],
  ['mcp__.*__write', 'mcp__disk__write', true],
  ['mcp__disk', 'mcp__disk__write', false],
])('the matcher %j holds for the tool %s: %j', (matcher, tool, expected) => {
  expect(isMatched(matcher, tool)).toBe(expected);
});

test.each([
  ['Task', 'Agent'],
  ['FileRead|FileEdit', 'Read'],
  ['FileWrite', 'Write'],
  ['^Task$', 'Agent'],
])('a former name of a tool (%s) is matched as %s', (matcher, tool) => {
  expect(isMatched(matcher, tool)).toBe(true);
});

test('an agent’s type is no tool: nobody else answers to a tool’s former name', () => {
  expect(isMatched('Task', 'Agent', 'SubagentStart')).toBe(false);
});

test('the same hook in several places is run once, another one of the same command with other settings as well', () => {
  const events = { PreToolUse: [{ hooks: [hook('a'), hook('a')] }, { matcher: 'Bash', hooks: [hook('a')] }] };
  const found = handlersFor([source(events), source(events, { file: 'other.json' })], {
    event: 'PreToolUse',
    subject: 'Bash',
  });
  expect(found).toMatchObject([{ file: 'settings.json', hook: { command: 'a' } }]);
  const inPlugin = handlersFor([source(events), source(events, { pluginRoot: '/p' })], { event: 'PreToolUse' });
  expect(inPlugin).toHaveLength(2);
});

test('a hook with a rule is run for the calls that the rule speaks of, and never where there is no call', () => {
  const events = {
    PreToolUse: [{ hooks: [hook('a', { if: 'Bash(git push *)' })] }],
    Stop: [{ hooks: [hook('a', { if: 'Bash' })] }],
  };
  const asked: string[] = [];
  const touches = (rule: string) => asked.push(rule) > 0;
  expect(commandsFor(events, { event: 'PreToolUse', subject: 'Bash', touches })).toEqual(['a']);
  expect(commandsFor(events, { event: 'PreToolUse', subject: 'Bash', touches: () => false })).toEqual([]);
  expect(commandsFor(events, { event: 'Stop' })).toEqual([]);
  expect(asked).toEqual(['Bash(git push *)']);
});

test.each([
  [{ PreToolUse: [{ hooks: [{ type: 'command' }] }] }, 'PreToolUse.0.hooks.0.command'],
  [{ PreToolUse: [{ hooks: [hook('')] }] }, 'PreToolUse.0.hooks.0.command'],
  [{ PreToolUse: [{ hooks: [hook('a', { timeout: '5' })] }] }, 'PreToolUse.0.hooks.0.timeout'],
  [{ PreToolUse: [{ hooks: [hook('a', { if: 'Bash(' })] }] }, 'PreToolUse.0.hooks.0.if'],
  [{ PreToolUse: [{ hooks: [{ type: 'http', url: 'file:///x' }] }] }, 'PreToolUse.0.hooks.0.url'],
  [{ PreToolUse: [{ hooks: [{ type: 'shout' }] }] }, 'PreToolUse.0.hooks.0.type'],
  [{ PreToolUse: [{ matcher: 'Edit(', hooks: [] }] }, 'PreToolUse.0.matcher'],
  [{ PreToolUse: [{ matcher: 'Edit' }] }, 'PreToolUse.0.hooks'],
  [{ PreToolUse: {} }, 'PreToolUse'],
])('what is wrong is named by its place: %j', (events, place) => {
  const { error } = HooksByEvent.safeParse(events);
  expect(error?.issues.map(({ path }) => path.join('.'))).toEqual([place]);
});

test('what troupe does not run is left out with a line each', () => {
  const events = {
    PreToolUze: [{ hooks: [hook('a')] }],
    Setup: [{ hooks: [hook('a')] }],
    Stop: [
      {
        hooks: [{ type: 'prompt', prompt: 'Is it done?' }],
      },
    ],
    WorktreeCreate: [
      {
        hooks: [
          { type: 'agent', prompt: 'Make one.' },
          { type: 'mcp_tool', server: 'x', tool: 'y' },
        ],
      },
    ],
  };
  expect(hookNotices(source(events))).toEqual([
    'settings.json: "hooks.PreToolUze" is no event that troupe knows; it is left out.',
    'settings.json: "hooks.WorktreeCreate" has hooks of the type agent, which troupe does not run.',
    'settings.json: "hooks.WorktreeCreate" has hooks of the type mcp_tool, which troupe does not run.',
  ]);
  expect(handlersFor([source(events)], { event: 'Stop' }).map(({ hook: { type } }) => type)).toEqual(['prompt']);
});
