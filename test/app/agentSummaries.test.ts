import { expect, test } from 'vitest';
import { summarise } from '../../src/app/subagents/agentSummaries.js';
import type { MessageParam, ModelReply, ModelRequest } from '../../src/model/types.js';
import { fakeModel, MODEL, type Reply, shortOf } from '../agent/harness.js';
import { eventually } from '../helpers/eventually.js';
import { fakeClock } from '../helpers/fakeClock.js';
import { subagentBench } from './subagentBench.js';

const HISTORY: MessageParam[] = [
  { role: 'user', content: 'Look.' },
  { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_a', name: 'Bash', input: {} }] },
];
const request = (messages: readonly MessageParam[]): ModelRequest => ({
  model: MODEL,
  system: ['You are a test.'],
  messages,
  tools: [],
  userId: 'u',
});

function asking(replies: readonly Reply[], messages: MessageParam[]) {
  const clock = fakeClock();
  const client = fakeModel(replies);
  const told: string[] = [];
  const spent: ModelReply[] = [];
  const over = new AbortController();
  const asked = summarise(
    {
      clock,
      client,
      lastRequest: () => request(messages),
      tell: (line) => told.push(line),
      spent: async (reply) => void spent.push(reply),
    },
    over.signal,
  );
  return { clock, client, told, spent, over, asked };
}

test('every 30 s the agent is asked on its own prefix, without the call that still runs; what it costs counts', async () => {
  const { clock, client, told, spent, over, asked } = asking([{ text: 'I read\nall files.' }], [...HISTORY]);
  await clock.advance(29_999);
  expect(client.requests).toEqual([]);
  await clock.advance(1);
  await eventually(() => expect(told).toEqual(['I read all files.']));
  expect(client.requests[0]).toMatchObject({ system: ['You are a test.'], maxTokens: 200 });
  expect(client.requests[0]?.messages.map((message) => shortOf(message).length)).toEqual([2]);
  expect(spent).toHaveLength(1);
  // Nothing new has been said, so nothing is asked.
  await clock.advance(30_000);
  expect(client.requests).toHaveLength(1);
  over.abort();
  await asked;
});

test('a question that fails is left out, and the next one is asked', async () => {
  const messages: MessageParam[] = [{ role: 'user', content: 'Look.' }];
  const { clock, client, told, over, asked } = asking([{ fails: new Error('down') }, { text: 'I write.' }], messages);
  await clock.advance(30_000);
  await eventually(() => expect(client.requests).toHaveLength(1));
  messages.push({ role: 'assistant', content: 'a' }, { role: 'user', content: 'b' });
  await clock.advance(30_000);
  await eventually(() => expect(told).toEqual(['I write.']));
  over.abort();
  await asked;
});

test('switched on, a running agent’s summary is part of its progress; the conversation has nothing of it', async () => {
  const clock = fakeClock();
  await using bench = await subagentBench({
    clock,
    environment: { TROUPE_AGENT_SUMMARIES: '1' },
    replies: [[{ hangs: true }, { text: 'I look around.' }]],
  });
  const call = bench.call();
  call.catch(() => {});
  await eventually(() => expect(bench.models()[0]?.requests).toHaveLength(1));
  await clock.advance(30_000);
  await eventually(() => expect(bench.registry.all()[0]?.record().progress.summary).toBe('I look around.'));
  bench.turn.abort();
  await expect(call).rejects.toThrow('ended before it was done');
  await clock.advance(60_000);
  expect(bench.models()[0]?.requests).toHaveLength(2);
});
