import { expect, test } from 'vitest';
import { NO_PROGRESS, type TaskRecord } from '../../src/agent/background/taskRecord.js';
import type { Access } from '../../src/agent/tool.js';
import { hooksPort, memberEndHooks } from '../../src/app/hooks/agentHooks.js';
import { createNotifications } from '../../src/app/hooks/notifications.js';
import { HooksByEvent } from '../../src/definitions/hook.js';
import type { ToolUseBlock } from '../../src/model/types.js';
import { tool } from '../agent/harness.js';
import { eventually } from '../helpers/eventually.js';
import { fakeClock } from '../helpers/fakeClock.js';
import { hookBench, noting } from './hookBench.js';

const never = new AbortController().signal;
const callOf = (name: string, access: Access, input: object = {}) => ({
  tool: tool(name, async () => ''),
  access,
  call: { type: 'tool_use', id: 'toolu_1', name, input, caller: { type: 'direct' } } satisfies ToolUseBlock,
});
const shell = (command: string) => callOf('Bash', { kind: 'shell', command }, { command });

test('a call is told with the session, the mode, the folder and its input', async () => {
  await using bench = await hookBench(noting({ PreToolUse: '' }));
  const port = hooksPort({ hooks: bench.hooks, agent: () => bench.hooks.main(), hasPerson: false });
  bench.state.mode = 'acceptEdits';
  await port?.beforeCall(shell('ls'), never);
  expect(await bench.told()).toEqual([
    {
      session_id: 'session',
      transcript_path: bench.world.home.session('session').transcript,
      cwd: bench.dir,
      permission_mode: 'acceptEdits',
      team_name: 'red',
      teammate_name: 'bob',
      agent_type: 'general-purpose',
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command: 'ls' },
      tool_use_id: 'toolu_1',
    },
  ]);
});

test('an agent without hooks has no port: nothing is asked at any step', async () => {
  await using bench = await hookBench({});
  bench.launch.settings.hooks = undefined;
  const nobody = { ...bench.hooks, concern: () => false };
  expect(hooksPort({ hooks: nobody, agent: () => bench.hooks.main(), hasPerson: false })).toBeUndefined();
});

test.each([
  ['Bash(git push *)', shell('git push origin main'), 1],
  ['Bash(git push *)', shell('cd sub && git push origin'), 1],
  ['Bash(git push *)', shell('git pull'), 0],
  ['Bash(git *)', shell('rm -rf /'), 0],
  ['Edit(src/**)', callOf('Write', { kind: 'write', paths: ['/p/src/a.ts'] }), 0],
  ['Read', callOf('Grep', { kind: 'read', paths: ['/p/a.ts'] }), 1],
  ['Agent(Explore)', callOf('Agent', { kind: 'other', specifier: 'Explore' }), 1],
  ['Agent(Explore)', callOf('Agent', { kind: 'other', specifier: 'Plan' }), 0],
])('a hook with the rule %s is run for the calls that it speaks of (%#)', async (rule, call, times) => {
  const command = 'said=$(cat); printf "%s\\n" "$said" >> told';
  const events = HooksByEvent.parse({ PreToolUse: [{ hooks: [{ type: 'command', command, if: rule }] }] });
  await using bench = await hookBench(events);
  const port = hooksPort({ hooks: bench.hooks, agent: () => bench.hooks.main(), hasPerson: false });
  await port?.beforeCall(call, never);
  expect(await bench.told()).toHaveLength(times);
});

const QUESTION = { tool: 'Bash', toolUseId: 'toolu_1', input: {}, description: 'Bash ls', suggestions: [] };

test.each([true, false])(
  'a permission that a person is about to be asked for is a notification (a person: %j)',
  async (hasPerson) => {
    await using bench = await hookBench(noting({ PermissionRequest: '', Notification: '' }));
    const port = hooksPort({ hooks: bench.hooks, agent: () => bench.hooks.main(), hasPerson });
    expect(await port?.onQuestion(QUESTION, shell('ls'), never)).toBeUndefined();
    await bench.hooks.fire(bench.hooks.main(), { event: 'PermissionRequest' });
    await eventually(async () => expect(await bench.told()).toHaveLength(hasPerson ? 3 : 2));
    const notes = (await bench.told()).filter(({ hook_event_name }) => hook_event_name === 'Notification');
    expect(notes.map((note) => note['notification_type'])).toEqual(hasPerson ? ['permission_prompt'] : []);
  },
);

test('a hook that denies a permission says why', async () => {
  const decision = { behavior: 'deny', message: 'Not on Fridays.' };
  const output = JSON.stringify({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } });
  await using bench = await hookBench(noting({ PermissionRequest: `echo '${output}'` }));
  const port = hooksPort({ hooks: bench.hooks, agent: () => bench.hooks.main(), hasPerson: true });
  expect(await port?.onQuestion(QUESTION, shell('ls'), never)).toEqual({
    allow: false,
    because: 'Denied by a hook: Bash ls. Not on Fridays.',
    stops: false,
  });
  expect(bench.notes).toEqual([]);
});

const answering = (decision: object) => {
  const output = JSON.stringify({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } });
  return noting({ PermissionRequest: `echo '${output}'` });
};

test('a denial that interrupts ends the turn, and the person is told', async () => {
  await using bench = await hookBench(answering({ behavior: 'deny', message: 'Enough.', interrupt: true }));
  const port = hooksPort({ hooks: bench.hooks, agent: () => bench.hooks.main(), hasPerson: true });
  expect(await port?.onQuestion(QUESTION, shell('ls'), never)).toMatchObject({ allow: false, stops: true });
  expect(bench.notes).toEqual(['A hook ended the turn: Enough.']);
});

test('a PermissionRequest hook with a rule is run for the calls that it speaks of', async () => {
  const hook = { type: 'command', command: 'said=$(cat); printf "%s\\n" "$said" >> told', if: 'Bash(git push *)' };
  await using bench = await hookBench(HooksByEvent.parse({ PermissionRequest: [{ hooks: [hook] }] }));
  const port = hooksPort({ hooks: bench.hooks, agent: () => bench.hooks.main(), hasPerson: false });
  for (const command of ['git pull', 'git push origin']) await port?.onQuestion(QUESTION, shell(command), never);
  expect((await bench.told()).map(({ tool_input }) => tool_input)).toEqual([{ command: 'git push origin' }]);
});

test('updatedPermissions count for the session from then on: as suggested, or as other programs write them', async () => {
  const updatedPermissions = [
    { behavior: 'allow', rule: 'Bash(touch *)' },
    { type: 'addRules', behavior: 'deny', rules: [{ toolName: 'Read', ruleContent: 'x' }], destination: 'session' },
    { type: 'addRules', behavior: 'ask', rules: [{ toolName: 'Grep' }], destination: 'localSettings' },
    { type: 'setMode', mode: 'bypassPermissions' },
    { behavior: 'allow', rule: 'Bash(' },
  ];
  await using bench = await hookBench(answering({ behavior: 'allow', updatedPermissions }));
  const port = hooksPort({ hooks: bench.hooks, agent: () => bench.hooks.main(), hasPerson: false });
  expect(await port?.onQuestion(QUESTION, shell('ls'), never)).toEqual({ allow: true });
  const none = { allow: [], ask: [], deny: [] };
  const nothing = { mode: 'default', folders: [], protectedRoots: [], allowedPaths: [], cwd: '/', home: '/' } as const;
  expect(bench.hooks.rules.widened({ ...nothing, rules: none }).rules).toEqual({
    allow: [{ tool: 'Bash', specifier: 'touch *' }],
    ask: [{ tool: 'Grep' }],
    deny: [{ tool: 'Read', specifier: 'x' }],
  });
  expect(bench.notes).toEqual([
    "What a hook's updatedPermissions add to localSettings holds for this session; no file is changed.",
    expect.stringContaining('"setMode","mode":"bypassPermissions"} is left out: only'),
    expect.stringMatching(/left out: "Bash\(" is not a permission rule/),
  ]);
});

test('a lead that waits for a minute notifies its person once, and not while it works again', async () => {
  await using bench = await hookBench(noting({ Notification: '' }), 'lead');
  const clock = fakeClock();
  let isWorking = false;
  const notified = createNotifications({
    hooks: bench.hooks,
    clock,
    hasPerson: true,
    isWorking: () => isWorking,
    signal: never,
  });
  const ended = { type: 'turn_ended', end: { reason: 'done', text: '' } } as const;
  notified(ended);
  isWorking = true;
  await clock.advance(60_000);
  isWorking = false;
  notified(ended);
  notified(ended);
  await clock.advance(60_000);
  await eventually(async () => expect(await bench.told()).toHaveLength(1));
  expect(await bench.told()).toMatchObject([{ notification_type: 'idle_prompt' }]);
});

const TASK: TaskRecord = {
  id: 'task_1',
  type: 'agent',
  toolUseId: 'toolu_1',
  description: '',
  status: 'completed',
  backgrounded: true,
  startedAt: 0,
  progress: NO_PROGRESS,
  notified: false,
  outputFile: '/out',
};

test('a Stop hook is told what still runs in the background', async () => {
  await using bench = await hookBench(noting({ Stop: '' }), 'lead');
  const shell = { ...TASK, id: 'task_2', type: 'shell', status: 'running', description: 'npm start' } as const;
  const tasks = [TASK, shell, { ...shell, id: 'task_3', backgrounded: false }];
  await memberEndHooks(bench.hooks, 'team-lead', undefined, () => tasks).onDone(
    { reason: 'done', text: 'Started.' },
    false,
    never,
  );
  expect(await bench.told()).toMatchObject([
    {
      last_assistant_message: 'Started.',
      background_tasks: [{ id: 'task_2', type: 'shell', status: 'running', description: 'npm start' }],
    },
  ]);
});

test('the end of an agent in the background is notified, that of one whose caller waits is not', async () => {
  await using bench = await hookBench(noting({ Notification: '' }), 'lead');
  const { hooks } = bench;
  const notified = createNotifications({
    hooks,
    clock: fakeClock(),
    hasPerson: false,
    isWorking: () => true,
    signal: never,
  });
  const ended = (description: string, backgrounded: boolean) =>
    notified({ type: 'task_notification', task: { ...TASK, description, backgrounded } });
  ended('Waited for', false);
  ended('Look\nat the docs', true);
  await eventually(async () => expect(await bench.told()).toHaveLength(1));
  expect(await bench.told()).toMatchObject([
    { notification_type: 'agent_completed', message: 'Look at the docs: completed' },
  ]);
});
