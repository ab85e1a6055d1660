import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createCompaction, tailStart } from '../../src/agent/compaction.js';
import type { LoopDeps } from '../../src/agent/loop.js';
import { type MessageParam, ModelError, type ModelRequest } from '../../src/model/types.js';
import { problemIn } from '../../src/modelServer/check/check.js';
import { bench, MODEL, type Reply, shortOf, tool } from './harness.js';

const echo = tool('Echo', async () => 'echo');
const big = tool('Big', async () => 'x'.repeat(12_000));
const tooLong = new ModelError('prompt-too-long', 'prompt is too long: 11 tokens > 10 maximum', 400);
const window = (contextWindow: number, reminders?: () => Promise<string>) => ({
  compaction: createCompaction({ contextWindow, ...(reminders && { reminders }) }),
});
const isForSummary = ({ messages }: Pick<ModelRequest, 'messages'>) =>
  shortOf(messages.at(-1)).some((text) => text.includes('Write that summary now'));

test('at 90 % of the window older messages become a summary, asked on the very same prefix; the newest stay whole', async () => {
  const agent = bench(
    [
      { text: 'old', calls: ['Big'], input: 500 },
      { text: 'new', calls: ['Echo'], input: 8990 },
      { text: 'the summary' },
      { text: 'end', input: 100 },
    ],
    [echo, big],
    window(10_000),
  );
  expect(await agent.run('the task')).toEqual({ reason: 'done', text: 'end' });
  const [, before, summary, after] = agent.client.requests;
  expect(summary && isForSummary(summary)).toBe(true);
  expect(summary?.messages.slice(0, 3)).toEqual(before?.messages.slice(0, 3));
  expect([summary?.system, summary?.tools, summary?.effort]).toEqual([before?.system, before?.tools, before?.effort]);
  expect(after?.messages.map(shortOf)).toEqual([
    [expect.stringMatching(/^<conversation-summary>[\s\S]*the summary\n<\/conversation-summary>$/)],
    ['new', 'tool_use'],
    ['result: echo'],
  ]);
  expect(agent.restarts).toEqual([
    { history: after?.messages, about: { trigger: 'auto', preTokens: expect.any(Number) } },
  ]);
  expect(agent.events.find(({ type }) => type === 'compacted')).toMatchObject({ trigger: 'auto', costUsd: 0.5 });
});

test('below 90 % nothing is summarised; what was added since the last response counts, as an estimate', async () => {
  const below = bench([{ calls: ['Echo'], input: 8900 }], [echo], window(10_000));
  await below.run();
  expect(below.restarts).toEqual([]);
  const above = bench([{ calls: ['Big'], input: 8900 }, { text: 'summary' }], [big], window(10_000));
  await above.run();
  expect(above.restarts.length).toBe(1);
});

test('a conversation that was never measured, as after a restart, is estimated whole', async () => {
  const agent = bench([{ text: 'summary' }, { text: 'on' }], [], window(10_000));
  agent.history.push(
    { role: 'user', content: 'y'.repeat(40_000) },
    { role: 'assistant', content: [{ type: 'text', text: 'seen' }] },
  );
  expect(await agent.run()).toEqual({ reason: 'done', text: 'on' });
  expect(agent.client.requests.map(isForSummary)).toEqual([true, false]);
});

test('"prompt is too long" is answered by a summary, and the turn goes on', async () => {
  const agent = bench(
    [{ text: 'look', calls: ['Big'] }, { fails: tooLong }, { text: 'summary' }, { text: 'end' }],
    [big],
    window(1_000_000),
  );
  expect(await agent.run()).toEqual({ reason: 'done', text: 'end' });
  expect(agent.restarts).toMatchObject([{ about: { trigger: 'prompt-too-long' } }]);
});

test('an answer that ran into the end of the window is taken up again behind a summary', async () => {
  const agent = bench(
    [{ text: 'one ', stop: 'model_context_window_exceeded' }, { text: 'summary' }, { text: 'two' }],
    [],
    window(1_000_000),
  );
  expect(await agent.run()).toEqual({ reason: 'done', text: 'one two' });
});

test('the team, its open tasks and the plan are told again behind the summary, and the reminder ends it', async () => {
  const agent = bench([{ fails: tooLong }, { text: 'summary' }], [], {
    ...window(1000, async () => 'Members: carol'),
    reminder: 'Break nothing.',
  });
  await agent.run();
  expect(agent.told(2)).toEqual([
    expect.stringMatching(/summary/),
    'Members: carol',
    '<system-reminder>\nBreak nothing.\n</system-reminder>',
  ]);
});

test('what is too long to be summarised is asked for once more with every text cut, and then cut again', async () => {
  const agent = bench(
    [{ calls: ['Big'] }, { fails: tooLong }, { fails: tooLong }, { text: 'summary' }, { text: 'end' }],
    [tool('Big', async () => 'x'.repeat(10_000))],
    window(1_000_000),
  );
  expect(await agent.run()).toMatchObject({ reason: 'done' });
  const sizes = agent.client.requests.slice(2, 4).map(({ messages }) => JSON.stringify(messages).length);
  expect(sizes[1]).toBeLessThan((sizes[0] ?? 0) / 2);
});

test.each<[string, Reply[], object]>([
  [
    'the model writes nothing, however often',
    [{ text: ' ' }, { calls: ['Big'] }, { text: ' ' }],
    { failure: 'invalid', message: /no summary/ },
  ],
  ['it refuses', [{ text: 'no', stop: 'refusal' }], { failure: 'invalid', message: /refusal/ }],
  [
    'it is too long however much is cut',
    [tooLong, tooLong, tooLong].map((fails) => ({ fails })),
    { failure: 'prompt-too-long', message: /could not be replaced by a summary: prompt is too long/ },
  ],
  [
    'the service is down',
    [{ fails: new ModelError('unavailable', 'overloaded', 529) }],
    { failure: 'unavailable', message: /could not be replaced by a summary: overloaded/ },
  ],
  [
    'the budget is used up',
    [{ fails: new ModelError('budget', 'used up') }],
    { failure: 'budget', message: /used up/ },
  ],
])(
  'where there is no summary because %s, the turn ends and says so, and nothing is lost',
  async (_, replies, error) => {
    const agent = bench([{ fails: tooLong }, ...replies], [], window(1000));
    expect(await agent.run('the task')).toMatchObject({ reason: 'failed', error });
    expect(agent.restarts).toEqual([]);
    expect(agent.history.map(shortOf)).toEqual([['the task']]);
  },
);

test('a summary that fills the window by itself is not summarised again before the model has answered', async () => {
  const agent = bench([{ fails: tooLong }, { text: 'long '.repeat(500) }, { text: 'end' }], [], window(300));
  expect(await agent.run()).toEqual({ reason: 'done', text: 'end' });
  expect(agent.restarts.length).toBe(1);
});

test('a summary that makes no room is not followed by another: the turn ends', async () => {
  const agent = bench([{ fails: tooLong }, { text: 'summary' }, { fails: tooLong }], [], window(1000));
  expect(await agent.run()).toMatchObject({ reason: 'failed', error: { failure: 'prompt-too-long' } });
  expect(agent.client.requests.length).toBe(3);
});

test('what was measured before a summary does not count behind it, also where the next answer never came', async () => {
  const agent = bench(
    [
      { text: 'old', calls: ['Big'], input: 500 },
      { text: 'new', calls: ['Echo'], input: 9500 },
      { text: 'summary' },
      { fails: new ModelError('unavailable', 'overloaded', 529) },
      { text: 'back' },
    ],
    [echo, big],
    window(10_000),
  );
  expect(await agent.run()).toMatchObject({ reason: 'failed' });
  expect(await agent.run('again')).toEqual({ reason: 'done', text: 'back' });
  expect(agent.restarts.length).toBe(1);
});

test('a model that calls a tool instead of writing its summary is asked once more', async () => {
  const agent = bench(
    [{ fails: tooLong }, { calls: ['Echo'] }, { text: 'summary' }, { text: 'end' }],
    [echo],
    window(1000),
  );
  expect(await agent.run()).toEqual({ reason: 'done', text: 'end' });
  expect(agent.events.some(({ type }) => type === 'tool_started')).toBe(false);
});

test('an interrupt while the summary is written ends the turn and leaves the conversation as it was', async () => {
  const agent = bench([{ fails: tooLong }, { hangs: true }], [], window(1000));
  const running = agent.run('the task');
  await expect.poll(() => agent.client.requests.length).toBe(2);
  agent.turn.abort();
  expect(await running).toMatchObject({ reason: 'aborted' });
  expect(agent.history.map(shortOf)).toEqual([['the task']]);
});

let calls = 0;
const TOOLS = ['Echo', 'Big', 'Denied', 'Throws'];
const reply: fc.Arbitrary<Reply> = fc.record({
  text: fc.constantFrom('a text', '', ' '),
  // No two calls are the same: that would be going round in circles.
  calls: fc.array(
    fc.constantFrom(...TOOLS).map((name) => ({ name, input: { n: ++calls } })),
    { maxLength: 4 },
  ),
});

test('wherever a conversation is cut, calls keep their results and the API takes it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(reply, { minLength: 1, maxLength: 12 }),
      fc.infiniteStream(fc.boolean()),
      fc.integer({ min: 10, max: 8000 }),
      async (replies, dues, contextWindow) => {
        const compaction = { ...createCompaction({ contextWindow }), isDue: () => dues.next().value === true };
        const tools = [
          echo,
          big,
          tool('Throws', () => Promise.reject(new Error('broken'))),
          tool('Denied', async () => ''),
        ];
        const gate: LoopDeps['gate'] = {
          decide: async ({ name }) => (name === 'Denied' ? { allow: false, because: 'no' } : { allow: true }),
        };
        const agent = bench(replies, tools, { compaction, gate });
        const { client } = agent;
        const summarising: LoopDeps['client'] = {
          stream: (request, signal) =>
            isForSummary(request)
              ? bench([{ text: 'summary' }]).client.stream(request, signal)
              : client.stream(request, signal),
        };
        Object.assign(agent.deps, { client: summarising });
        for (const prompt of ['one', 'two', 'three']) expect(await agent.run(prompt)).toMatchObject({ reason: 'done' });
        expect(
          problemIn({
            model: MODEL,
            max_tokens: 10,
            messages: agent.history,
            tools: tools.map(({ schema }) => schema),
          }),
        ).toBeUndefined();
      },
    ),
    { numRuns: 300 },
  );
});

test('the part that is kept begins with no result, fits, and is as long as it can be', () => {
  const results = (id: string): MessageParam => ({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: id, content: 'r' }],
  });
  const calls = (id: string): MessageParam => ({
    role: 'assistant',
    content: [{ type: 'tool_use', id, name: 'Echo', input: {} }],
  });
  const history: MessageParam[] = [{ role: 'user', content: 'go' }, calls('a'), results('a'), calls('b'), results('b')];
  expect(tailStart(history, 10_000)).toBe(1);
  expect(tailStart(history, 80)).toBe(3);
  expect(tailStart(history, 30)).toBe(5);
});
