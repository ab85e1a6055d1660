import { expect, test } from 'vitest';
import type { AgentDefinition } from '../../src/definitions/agent.js';
import { type Reply, tool } from '../agent/harness.js';
import { eventually } from '../helpers/eventually.js';
import { hookBench, noting } from './hookBench.js';
import { type BenchOptions, subagentBench } from './subagentBench.js';

const BOTH = { SubagentStart: '', SubagentStop: '' };

/** A session whose sub-agents have hooks that keep what they are told. */
async function bench(events: Readonly<Record<string, string>>, options: BenchOptions = {}) {
  const hooked = await hookBench(noting(events));
  const { subagents } = hooked;
  const agents = await subagentBench({
    ...options,
    given: { hooks: { subagents }, onStart: subagents.started, ...options.given },
  });
  return {
    ...agents,
    hooked,
    async [Symbol.asyncDispose]() {
      await agents[Symbol.asyncDispose]();
      await hooked[Symbol.asyncDispose]();
    },
  };
}
type Bench = Awaited<ReturnType<typeof bench>>;

const settled = (work: Promise<unknown>) => work.then(String, String);
const idOf = (launched: string) => /agent-[0-9a-f]+/.exec(launched)?.[0] ?? '';
const BACKGROUND = { runInBackground: true };
const running = (agents: Bench, count = 1) =>
  eventually(() => expect(agents.models().flatMap(({ requests }) => requests)).toHaveLength(count));

const WAYS: Readonly<
  Record<
    string,
    {
      readonly replies?: readonly (readonly Reply[])[];
      readonly options?: BenchOptions;
      readonly starts?: number;
      readonly act: (agents: Bench) => Promise<unknown>;
    }
  >
> = {
  'it is done': { act: (agents) => agents.call() },
  'it is done in the background': { act: (agents) => agents.call(BACKGROUND) },
  'its model fails': { replies: [[{ fails: new Error('down') }]], act: (agents) => settled(agents.call()) },
  'it has had all its turns': {
    replies: [[{ calls: ['Look'] }, { calls: ['Look'] }]],
    options: { tools: () => [tool('Look', async () => 'seen')], given: { maxTurns: 1 } },
    act: (agents) => agents.call(),
  },
  'it says nothing': { replies: [[{}]], act: (agents) => agents.call() },
  'it is stopped': {
    replies: [[{ hangs: true }]],
    async act(agents) {
      const id = idOf(await agents.call(BACKGROUND));
      await running(agents);
      await agents.tasks.stop(id);
    },
  },
  'it is stopped while hooks hear of its start': {
    replies: [[{ hangs: true }]],
    async act(agents) {
      const id = idOf(await agents.call(BACKGROUND));
      await agents.tasks.stop(id);
    },
  },
  'it gives no sign any more': {
    replies: [[{ hangs: true }]],
    options: { settings: { idleMs: 300 } },
    act: (agents) => settled(agents.call()),
  },
  'its parent is interrupted': {
    replies: [[{ hangs: true }]],
    async act(agents) {
      const calling = settled(agents.call());
      await running(agents);
      agents.turn.abort();
      await calling;
    },
  },
  'its member ends': {
    replies: [[{ hangs: true }]],
    async act(agents) {
      await agents.call(BACKGROUND);
      await running(agents);
      await agents.registry.close();
    },
  },
  'what counts its usage fails': {
    options: { given: { spent: () => Promise.reject(new Error('disk full')) } },
    act: (agents) => settled(agents.call()),
  },
  'it cannot be begun': {
    starts: 0,
    options: {
      given: {
        gateFor: () => {
          throw new Error('no gate');
        },
      },
    },
    act: (agents) => settled(agents.call()),
  },
  'there is no such agent': { starts: 0, act: (agents) => settled(agents.call({ subagentType: 'nobody' })) },
  'it is gone on with': {
    starts: 2,
    async act(agents) {
      const id = idOf(await agents.call());
      await agents.tell(id, 'Go on.');
      await running(agents, 2);
    },
  },
};

test.each(Object.entries(WAYS))('every start of a sub-agent has exactly one stop: %s', async (_, way) => {
  const { replies = [], options = {}, starts = 1, act } = way;
  await using agents = await bench(BOTH, { replies, ...options });
  await act(agents);
  await agents.registry.close();
  await eventually(async () => expect(await agents.hooked.told()).toHaveLength(2 * starts));
  const told = (await agents.hooked.told()).map(({ hook_event_name, agent_id }) => [hook_event_name, agent_id]);
  const [record] = await agents.files.agents();
  const pair = [
    ['SubagentStart', record?.agentId],
    ['SubagentStop', record?.agentId],
  ];
  expect(told).toEqual(Array(starts).fill(pair).flat());
});

test('a hook that blocks the stop of a sub-agent has it go on, and is told that it was asked before', async () => {
  const block = 'if ! grep -q "stop_hook_active.:true" "$CLAUDE_PROJECT_DIR/told"; then echo More. >&2; exit 2; fi';
  await using agents = await bench({ SubagentStop: block }, { replies: [[{ text: 'One.' }, { text: 'Two.' }]] });
  expect(await agents.call()).toContain('Two.');
  expect(await agents.hooked.told()).toMatchObject([
    { stop_hook_active: false, last_assistant_message: 'One.', agent_type: 'general-purpose' },
    { stop_hook_active: true, last_assistant_message: 'Two.' },
  ]);
  expect(JSON.stringify(agents.models()[0]?.requests[1]?.messages)).toContain('More.');
});

test('what a hook adds at the start of a sub-agent stands behind its prompt', async () => {
  const context = { hookSpecificOutput: { hookEventName: 'SubagentStart', additionalContext: 'Mind the tests.' } };
  await using agents = await bench({ SubagentStart: `echo '${JSON.stringify(context)}'` });
  await agents.call({ prompt: 'Look.' });
  expect(JSON.stringify(agents.models()[0]?.requests[0]?.messages)).toMatch(/Look\..*Mind the tests\./);
});

test('hooks of a definition are for that agent alone: its Stop is its own end', async () => {
  const definition: AgentDefinition = {
    agentType: 'careful',
    whenToUse: '',
    getSystemPrompt: () => 'You are careful.',
    source: 'user',
    hooks: noting({ Stop: '', PreToolUse: '' }),
  };
  await using agents = await bench(
    {},
    {
      definitions: [definition],
      tools: () => [tool('Look', async () => 'seen')],
      replies: [
        [{ calls: ['Look'] }, { text: 'Done.' }],
        [{ calls: ['Look'] }, { text: 'Done.' }],
      ],
    },
  );
  await agents.call({ subagentType: 'careful' });
  await agents.call();
  const told = await agents.hooked.told();
  expect(told).toMatchObject([
    { hook_event_name: 'PreToolUse', agent_type: 'careful', tool_name: 'Look', tool_input: {} },
    { hook_event_name: 'SubagentStop', agent_type: 'careful' },
  ]);
});
