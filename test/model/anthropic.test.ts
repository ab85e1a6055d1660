import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/host/clock.js';
import { systemIds } from '../../src/host/ids.js';
import { type AnthropicOptions, createAnthropicClient } from '../../src/model/anthropic.js';
import { createBudget } from '../../src/model/budget.js';
import { createTraffic, privateStore, type Traffic } from '../../src/model/traffic.js';
import type { ModelClient, ModelEvent, ModelReply, ModelRequest } from '../../src/model/types.js';
import type { Fault } from '../../src/modelServer/faults/fault.js';
import { eventually } from '../helpers/eventually.js';
import { fakeClock } from '../helpers/fakeClock.js';
import { modelServer } from '../modelServer/helpers.js';

const request: ModelRequest = {
  model: 'claude-sonnet-5-5',
  system: ['You are an agent.'],
  messages: [{ role: 'user', content: 'hello' }],
  tools: [{ name: 'Read', description: 'reads', input_schema: { type: 'object' } }],
  userId: 'troupe:red:alice',
};
const script = "agents: {'*': [{reply: [{text: 'Hello, you.'}, {tool: Read, input: {file: a.ts}}]}]}";

const client = (baseURL: string, options: Partial<AnthropicOptions> = {}) =>
  createAnthropicClient({
    clock: systemClock,
    ids: { ...systemIds, random: () => 0.5 },
    baseURL,
    env: { ANTHROPIC_API_KEY: 'k' },
    ...options,
  });

/** All events, then the reply. */
async function collect(model: ModelClient, asked = request, signal = new AbortController().signal) {
  const events: ModelEvent[] = [];
  const stream = model.stream(asked, signal);
  for (;;) {
    const step = await stream.next();
    if (step.done) return { events, reply: step.value };
    events.push(step.value);
  }
}

/** As `collect`, with time running as fast as it is waited for. */
async function collectFast(baseURL: string, options: Partial<AnthropicOptions> = {}) {
  const clock = fakeClock();
  const waited: number[] = [];
  const hurried = {
    ...clock,
    now: () => clock.now() + waited.reduce((sum, ms) => sum + ms, 0),
    // The retries' waits are over at once; the watch over an idle stream never is.
    sleep: (ms: number, signal?: AbortSignal) => {
      if (ms >= 60_000) return clock.sleep(ms, signal);
      waited.push(ms);
      return Promise.resolve();
    },
  };
  const outcome = collect(client(baseURL, { clock: hurried, ...options }));
  const failed = (error: unknown) => ({ error, events: [], reply: undefined });
  return { waited, ...(await outcome.then((done) => ({ error: undefined, ...done }), failed)) };
}

const textOf = (events: readonly ModelEvent[]) =>
  events.flatMap((event) => (event.type === 'text' ? [event.text] : [])).join('');

test('a reply is streamed as text and returned whole, with its usage and cost', async () => {
  await using server = await modelServer({ script });
  const { events, reply } = await collect(client(server.url));
  expect(textOf(events)).toBe('Hello, you.');
  expect(events.length).toBeGreaterThan(1);
  expect(reply.message).toMatchObject({
    content: [
      { type: 'text', text: 'Hello, you.' },
      { type: 'tool_use', name: 'Read', input: { file: 'a.ts' } },
    ],
    stop_reason: 'tool_use',
  });
  const { usage } = reply;
  expect(usage).toEqual({ input: expect.any(Number), output: expect.any(Number), cacheRead: 0, cacheWrite: 0 });
  expect(reply.costUsd).toBeCloseTo((usage.input * 2 + usage.output * 10) / 1e6, 12);
  expect(reply.durationMs).toBeGreaterThan(0);
});

test('what comes back can be sent back', async () => {
  await using server = await modelServer({ script });
  const { reply } = await collect(client(server.url));
  const [, call] = reply.message.content;
  if (call?.type !== 'tool_use') throw new Error('there should be a call');
  const messages: ModelRequest['messages'] = [
    ...request.messages,
    { role: 'assistant', content: reply.message.content },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content: 'text' }] },
  ];
  await collect(client(server.url), { ...request, messages });
  expect(server.log().map(({ status }) => status)).toEqual([200, 200]);
  expect(reply.message).not.toHaveProperty('parsed_output');
});

test('a second turn reads the first one’s prefix from the cache', async () => {
  await using server = await modelServer({ script: "agents: {'*': [{reply: ok}]}" });
  const long = { ...request, system: ['x'.repeat(8000)] };
  const model = client(server.url);
  const first = await collect(model, long);
  const second = await collect(model, {
    ...long,
    messages: [...long.messages, { role: 'assistant', content: 'ok' }, { role: 'user', content: 'more' }],
  });
  expect(first.reply.usage.cacheWrite).toBeGreaterThan(2000);
  expect(second.reply.usage.cacheRead).toBe(first.reply.usage.cacheWrite);
});

test.each<[string, Fault, number | undefined]>([
  ['429', { status: 429 }, 429],
  ['500', { status: 500 }, 500],
  ['529', { status: 529 }, 529],
  ['a stream that is cut in the middle of a delta', { stream: 'cut' }, undefined],
  ['an error in the middle of a stream', { stream: 'error' }, 529],
  ['a delta that is not JSON', { stream: 'malformed' }, undefined],
])('%s is tried again, with longer and longer waits', async (_, fault, status) => {
  await using server = await modelServer({ script });
  server.failNext({ ...fault, times: 3 });
  const { waited, events, reply } = await collectFast(server.url);
  expect(waited).toEqual([500, 1000, 2000]);
  const retries = events.filter(({ type }) => type === 'retry');
  expect(retries).toMatchObject(
    [1, 2, 3].map((attempt) => ({ attempt, maxRetries: 9, delayMs: waited[attempt - 1], status })),
  );
  expect(reply?.message.content).toMatchObject([{ text: 'Hello, you.' }, {}]);
});

test('retry-after is waited for', async () => {
  await using server = await modelServer({ script });
  server.failNext({ status: 429, retryAfter: 7 });
  expect((await collectFast(server.url)).waited).toEqual([7250]);
});

test('after ten tries the service is unavailable', async () => {
  await using server = await modelServer({ script });
  server.failNext({ status: 529, times: 100 });
  const { waited, error } = await collectFast(server.url);
  expect(waited).toHaveLength(9);
  expect(server.log()).toHaveLength(10);
  expect(error).toMatchObject({ name: 'ModelError', failure: 'unavailable', status: 529, message: '529 Overloaded' });
});

test('a service that cannot be reached is unavailable, and the address is named', async () => {
  const server = await modelServer();
  await server.close();
  const { waited, error } = await collectFast(server.url);
  expect(waited).toHaveLength(9);
  expect(error).toMatchObject({
    failure: 'unavailable',
    status: undefined,
    message: expect.stringContaining('ECONNREFUSED'),
  });
});

test.each<[string, Fault, string]>([
  ['400', { status: 400, message: 'messages: bad' }, 'invalid'],
  [
    '400 for the prompt’s length',
    { status: 400, message: 'prompt is too long: 2 tokens > 1 maximum' },
    'prompt-too-long',
  ],
  ['401', { status: 401, message: 'invalid x-api-key' }, 'unauthorized'],
  ['403', { status: 403, message: 'no' }, 'unauthorized'],
  ['404', { status: 404, message: 'model: x' }, 'not-found'],
  ['413', { status: 413, message: 'too large' }, 'prompt-too-long'],
])('%s is not tried again and carries the API’s own words', async (_, fault, failure) => {
  await using server = await modelServer();
  server.failNext(fault);
  await expect(collect(client(server.url))).rejects.toMatchObject({
    failure,
    status: fault.status,
    message: `${fault.status} ${fault.message}`,
  });
  expect(server.log()).toHaveLength(1);
});

test('without credentials nothing is sent, and the variable to set is named', async () => {
  await using server = await modelServer();
  await expect(collect(client(server.url, { env: {} }))).rejects.toMatchObject({
    failure: 'unauthorized',
    message: expect.stringContaining('ANTHROPIC_API_KEY'),
  });
  expect(server.log()).toHaveLength(0);
});

test('the address may come from the environment', async () => {
  await using server = await modelServer({ script });
  const model = createAnthropicClient({
    clock: systemClock,
    ids: systemIds,
    env: { ANTHROPIC_AUTH_TOKEN: 't', ANTHROPIC_BASE_URL: server.url },
  });
  expect((await collect(model)).reply.message.stop_reason).toBe('tool_use');
});

test('a budget that is used up lets no request through', async () => {
  await using server = await modelServer();
  const budget = createBudget({ limitUsd: 1, spent: async () => 2 });
  await expect(collect(client(server.url, { budget }))).rejects.toMatchObject({ failure: 'budget' });
  expect(server.log()).toHaveLength(0);
});

test('after three overloads the fallback answers, without the asked model’s thinking and without its own', async () => {
  await using server = await modelServer({ script: "agents: {'*': [{reply: [{thinking: hm}, {text: here}]}]}" });
  server.failNext({ status: 529, times: 3 });
  const { reply } = await collectFast(server.url, { fallbackModel: 'claude-haiku-5-5' });
  expect(server.log().map(({ model }) => model)).toEqual([...Array(3).fill('claude-sonnet-5-5'), 'claude-haiku-5-5']);
  expect(reply?.message.content).toMatchObject([{ type: 'text', text: 'here' }]);
  const { input = 0, output = 0 } = reply?.usage ?? {};
  expect(reply?.costUsd).toBeCloseTo((input * 0.1 + output * 0.5) / 1e6, 12);
});

/** A service that begins to answer and goes no further. `state.closed`: its client has hung up. */
async function hangingService() {
  const state = { closed: false };
  const server = createServer((_, response) => {
    response.on('close', () => {
      state.closed = true;
    });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of [
      { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', content: [], usage: {} } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'so far' } },
    ]) {
      response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
  const stop = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { url, state, [Symbol.asyncDispose]: stop };
}

test('an abort ends a stream that hangs, at once, with its own reason, and hangs up', async () => {
  await using service = await hangingService();
  const abort = new AbortController();
  const stream = client(service.url).stream(request, abort.signal);
  expect((await stream.next()).value).toEqual({ type: 'text', text: 'so far' });
  const next = stream.next();
  const reason = new Error('enough');
  abort.abort(reason);
  await expect(next).rejects.toBe(reason);
  await eventually(() => expect(service.state.closed).toBe(true));
});

test('who stops reading hangs up', async () => {
  await using service = await hangingService();
  for await (const _ of client(service.url).stream(request, new AbortController().signal)) break;
  await eventually(() => expect(service.state.closed).toBe(true));
});

test('an abort ends the wait before the next try', async () => {
  await using server = await modelServer();
  server.failNext({ status: 529, times: 100 });
  const abort = new AbortController();
  const stream = client(server.url).stream(request, abort.signal);
  expect(await stream.next()).toMatchObject({ value: { type: 'retry' } });
  const next = stream.next();
  abort.abort(new Error('enough'));
  await expect(next).rejects.toThrow('enough');
});

test('a stream in which nothing comes any more counts as broken off', async () => {
  await using server = await modelServer({ script });
  server.failNext({ stream: 'hang' });
  const clock = fakeClock();
  const outcome: Promise<{ events: ModelEvent[]; reply: ModelReply }> = collect(
    client(server.url, { clock, idleMs: 60_000 }),
  );
  let isOver = false;
  const over = outcome.finally(() => {
    isOver = true;
  });
  await eventually(() => expect(server.log()).toHaveLength(1));
  await eventually(async () => {
    await clock.pass(30_000);
    expect(isOver).toBe(true);
  });
  const { events, reply } = await over;
  expect(events.find(({ type }) => type === 'retry')).toMatchObject({
    error: "the model's service sent nothing for 60 s",
  });
  expect(reply.message.stop_reason).toBe('tool_use');
});

/** Traffic in which leaving waits, or fails, as a disk may. */
function slowToLeave(left: () => Promise<void>): Traffic {
  const { enter } = createTraffic({ clock: systemClock, ids: systemIds, store: privateStore() });
  return {
    async enter(lane: string, signal: AbortSignal) {
      const pass = await enter(lane, signal);
      return { ...pass, leave: () => pass.leave().then(left) };
    },
  };
}

test('an answer does not wait until its room is given back; the next request does, and fails where that cannot be', async () => {
  await using server = await modelServer({ script });
  let release = () => {};
  const left = new Promise<void>((resolve) => {
    release = resolve;
  });
  const model = client(server.url, { traffic: slowToLeave(() => left) });
  expect((await collect(model)).reply.message.stop_reason).toBe('tool_use');
  const next = collect(model);
  await Promise.race([next, new Promise((resolve) => setImmediate(resolve))]);
  expect(server.log()).toHaveLength(1);
  release();
  expect((await next).reply.message.stop_reason).toBe('tool_use');

  const failing = client(server.url, { traffic: slowToLeave(() => Promise.reject(new Error('no such folder'))) });
  await collect(failing);
  await expect(collect(failing)).rejects.toThrow('no such folder');
});
