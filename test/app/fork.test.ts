import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { createArrivals } from '../../src/agent/arrivals.js';
import type { TurnEnd } from '../../src/agent/events.js';
import { type AgentRun, runAgent } from '../../src/agent/runAgent.js';
import { defineTool, type Tool } from '../../src/agent/tool.js';
import { type Parent, subagentParts } from '../../src/app/subagents/subagentParts.js';
import { fork } from '../../src/definitions/builtin/fork.js';
import { systemClock } from '../../src/host/clock.js';
import { systemIds } from '../../src/host/ids.js';
import { createAnthropicClient } from '../../src/model/anthropic.js';
import type { AssistantMessage, ModelRequest } from '../../src/model/types.js';
import { createReadLedger } from '../../src/tools/support/files/readLedger.js';
import { modelServer } from '../modelServer/helpers.js';

const MODEL = 'claude-opus-5-5';
const FORKS = 8;

/** A parent whose one message starts as many forks as `FORKS`, on a real client and the scripted server. */
async function forksOf(url: string, history: string) {
  const client = createAnthropicClient({
    clock: systemClock,
    ids: systemIds,
    baseURL: url,
    env: { ANTHROPIC_API_KEY: 'k' },
  });
  const run = async (agent: AgentRun): Promise<TurnEnd> => {
    const running = runAgent(agent);
    for (;;) {
      const { done, value } = await running.next();
      if (done) return value;
    }
  };
  const common = {
    client,
    gate: { decide: async () => ({ allow: true as const }) },
    transcript: { append: async () => {}, restart: async () => {} },
    delivered: async () => {},
    turnSignal: () => new AbortController().signal,
    drain: new AbortController().signal,
    cleanups: [],
  };
  const environment = { cwd: '/', isRepository: false, platform: 'linux', shell: 'bash', model: MODEL };
  let lastRequest: ModelRequest | undefined;
  let count = 0;
  const ends: TurnEnd[] = [];
  const tools: Tool[] = ['Read', 'TaskStop', 'AskUserQuestion'].map((name) => plainTool(name));
  const parent: Parent = {
    model: MODEL,
    state: { cwd: '/', mode: 'default' },
    tools: () => tools,
    history: () => messages,
    readLedger: createReadLedger(),
    lastRequest: () => lastRequest,
    effort: 'high',
  };
  tools.unshift(
    defineTool({
      name: 'Agent',
      description: 'Starts an agent.',
      input: z.object({ prompt: z.string() }),
      isReadOnly: false,
      isConcurrent: true,
      access: () => ({ kind: 'none' }),
      async call({ prompt }) {
        const parts = await subagentParts(fork, { prompt }, { parent, environment, variables: {} });
        const end = await run({
          ...common,
          ...parts,
          userId: `troupe:red:bob/agent-${++count}`,
          arrivals: createArrivals(),
        });
        ends.push(end);
        return end.text;
      },
    }),
  );
  const messages: AgentRun['history'] = [];
  const end = await run({
    ...common,
    model: MODEL,
    effort: 'high',
    system: ['You are a test.'],
    userId: 'troupe:red:bob',
    history: messages,
    prompt: [{ type: 'text', text: `begin\n${history}` }],
    tools,
    state: parent.state,
    readLedger: parent.readLedger,
    arrivals: createArrivals(),
    publish(request) {
      lastRequest = request;
    },
  });
  return { end, ends };
}

function plainTool(name: string): Tool {
  return defineTool({
    name,
    description: `${name} does what it says.`,
    input: z.looseObject({}),
    isReadOnly: true,
    access: () => ({ kind: 'none' }),
    call: async () => `${name} ran`,
  });
}

const CALLS = Array.from({ length: FORKS }, (_, n) => `{ tool: Agent, input: { prompt: Look at part ${n}. } }`).join(
  ', ',
);
const SCRIPT = `
agents:
  bob:
    - { when: { user: "^begin" }, once: true, reply: [{ text: I fork. }, ${CALLS}] }
    - { reply: all done }
  bob/*:
    - { when: { turn: 1 }, reply: [{ tool: Agent, input: { prompt: more } }, { tool: Read, input: {} }, { tool: TaskStop, input: {} }, { tool: AskUserQuestion, input: {} }] }
    - { reply: "Scope: a part." }
`;

interface Sent {
  readonly tools: unknown;
  readonly system: unknown;
  readonly thinking: unknown;
  readonly output_config: unknown;
  readonly messages: readonly { readonly content: readonly object[] }[];
}
interface Logged {
  readonly userId: string;
  readonly body: Sent;
  readonly reply: AssistantMessage;
}

const withoutMarks = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === 'cache_control' ? undefined : inner)));

test('eight forks of one turn share their parent’s prefix: the same bytes, and read from the cache', async () => {
  await using server = await modelServer({ script: SCRIPT });
  const { end, ends } = await forksOf(server.url, 'a long history '.repeat(7000));
  expect([end.text, ends.length, new Set(ends.map(({ text }) => text))]).toEqual([
    'all done',
    FORKS,
    new Set(['Scope: a part.']),
  ]);

  const log = (await (await fetch(`${server.url}/__log`)).json()) as Logged[];
  const [first] = log;
  const forks = log.filter(({ userId, body }) => userId.includes('/') && body.messages.length === 3);
  expect(forks.length).toBe(FORKS);
  for (const { body } of forks) {
    for (const part of ['tools', 'system', 'thinking', 'output_config'] as const)
      expect(JSON.stringify(body[part])).toBe(JSON.stringify(first?.body[part]));
    expect(withoutMarks(body.messages[0])).toEqual(withoutMarks(first?.body.messages[0]));
    const upToDirective = (sent: Sent | undefined) => [
      sent?.messages.slice(0, 2),
      sent?.messages[2]?.content.slice(0, FORKS),
    ];
    expect(withoutMarks(upToDirective(body))).toEqual(withoutMarks(upToDirective(forks[0]?.body)));
  }
  for (const { reply } of forks.slice(1)) {
    const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = reply.usage;
    const read = cache_read_input_tokens ?? 0;
    expect(read / (read + input_tokens + (cache_creation_input_tokens ?? 0))).toBeGreaterThan(0.95);
  }
});

test('what is not a fork’s to do is refused at the call, though the model sees the tool', async () => {
  await using server = await modelServer({ script: SCRIPT });
  await forksOf(server.url, 'short');
  const log = (await (await fetch(`${server.url}/__log`)).json()) as Logged[];
  const second = log.find(({ userId, body }) => userId.includes('/') && body.messages.length === 5);
  expect(second?.body.messages.at(-1)?.content).toMatchObject([
    { is_error: true, content: expect.stringMatching(/^Agent is not yours to use: you are a fork/) },
    { content: 'Read ran' },
    { is_error: true, content: expect.stringMatching(/^TaskStop is not yours/) },
    { is_error: true, content: expect.stringMatching(/^AskUserQuestion is not yours/) },
  ]);
});
