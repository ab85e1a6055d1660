import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { parseFault } from '../../src/modelServer/faults/flag.js';
import { eventually } from '../helpers/eventually.js';
import { fakeClock } from '../helpers/fakeClock.js';
import { hello, modelServer } from './helpers.js';

// {"type":"text","text":"…"} is 25 bytes around the words; "user" in front of a message's block are 4 more.
const system = (tokens: number, more = {}) => [{ type: 'text', text: 'x'.repeat(tokens * 4 - 26), ...more }];
const user = (tokens: number, more = {}, letter = 'y') => ({
  role: 'user',
  content: [{ type: 'text', text: letter.repeat(tokens * 4 - 30), ...more }],
});
const mark = { cache_control: { type: 'ephemeral' } };
const hour = { cache_control: { type: 'ephemeral', ttl: '1h' } };

const tokens = z.number();
const Answer = z.object({
  usage: z.object({
    input_tokens: tokens,
    cache_read_input_tokens: tokens,
    cache_creation: z.object({ ephemeral_5m_input_tokens: tokens, ephemeral_1h_input_tokens: tokens }),
  }),
});

const setup = async () => {
  const clock = fakeClock();
  const server = await modelServer({ clock });
  return {
    clock,
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
    /** [plain, read, written for 5 minutes, written for an hour] */
    async ask(change: object, key = 'k') {
      const response = await server.post('/v1/messages', { ...hello, ...change }, { 'x-api-key': key });
      const { usage } = Answer.parse(await response.json());
      return [
        usage.input_tokens,
        usage.cache_read_input_tokens,
        usage.cache_creation.ephemeral_5m_input_tokens,
        usage.cache_creation.ephemeral_1h_input_tokens,
      ];
    },
  };
};

test('a prefix is written once and then read', async () => {
  await using cache = await setup();
  const request = { system: system(600, mark), messages: [user(10)] };
  expect(await cache.ask(request)).toEqual([10, 0, 600, 0]);
  expect(await cache.ask(request)).toEqual([10, 600, 0, 0]);
});

test('a conversation that grows reads what it had and writes what is new', async () => {
  await using cache = await setup();
  await cache.ask({ system: system(600, mark), messages: [user(100, mark)] });
  expect(await cache.ask({ system: system(600, mark), messages: [user(100), user(50, mark), user(10)] })).toEqual([
    10, 700, 50, 0,
  ]);
});

test('below the model’s minimum nothing is cached', async () => {
  await using cache = await setup();
  const small = { system: system(511, mark), messages: [user(10)] };
  await cache.ask(small);
  expect(await cache.ask(small)).toEqual([521, 0, 0, 0]);
  const older = { ...small, system: system(1000, mark), model: 'claude-sonnet-4-6' };
  await cache.ask(older);
  expect(await cache.ask(older)).toEqual([1010, 0, 0, 0]);
});

test('an entry lives 5 minutes from its last use, or an hour', async () => {
  await using cache = await setup();
  const short = { system: system(600, mark) };
  const long = { system: system(700, hour) };
  await cache.ask(short);
  await cache.ask(long);
  await cache.clock.pass(4 * 60_000);
  expect((await cache.ask(short))[1]).toBe(600);
  await cache.clock.pass(4 * 60_000);
  expect((await cache.ask(short))[1]).toBe(600);
  await cache.clock.pass(5 * 60_000);
  expect((await cache.ask(short))[1]).toBe(0);
  expect((await cache.ask(long))[1]).toBe(700);
  await cache.clock.pass(60 * 60_000);
  expect(await cache.ask(long)).toEqual([9, 0, 0, 700]);
});

test('a breakpoint looks back over 20 blocks, itself included, and no further', async () => {
  await using cache = await setup();
  await cache.ask({ messages: [user(600, mark)] });
  const grown = (more: number) => [user(600), ...Array.from({ length: more - 1 }, () => user(10)), user(10, mark, 'z')];
  expect((await cache.ask({ messages: grown(20) }))[1]).toBe(0);
  expect((await cache.ask({ messages: grown(19) }))[1]).toBe(600);
});

const tools = [{ name: 'A', input_schema: { type: 'object' } }];
const whole = {
  tools,
  system: system(600, mark),
  messages: [user(100, mark)],
};
// {"name":"A","input_schema":{"type":"object"}} has 45 bytes, 12 tokens.
const TOOLS = 12;

test.each<[string, object, number]>([
  ['nothing', {}, TOOLS + 700],
  ['what is behind the last breakpoint', { messages: [user(100, mark), user(9)] }, TOOLS + 700],
  ['the marks alone', { messages: [user(100)], cache_control: { type: 'ephemeral' } }, TOOLS + 700],
  ['a message', { messages: [user(100, mark, 'z')] }, TOOLS + 600],
  ['the tool choice', { tool_choice: { type: 'none' } }, TOOLS + 600],
  ['thinking', { thinking: { type: 'adaptive' } }, TOOLS + 600],
  ['the effort', { output_config: { effort: 'low' } }, TOOLS + 600],
  ['the system prompt', { system: system(601, mark) }, 0],
  ['a tool', { tools: [{ ...tools[0], description: 'x' }] }, 0],
  ['one more tool', { tools: [...tools, { ...tools[0], name: 'B' }] }, 0],
  ['the model', { model: 'claude-opus-5' }, 0],
])('when %s changes, what comes before it is still read', async (_, change, read) => {
  await using cache = await setup();
  await cache.ask(whole);
  expect((await cache.ask({ ...whole, ...change }))[1]).toBe(read);
});

test('what one key has written, another does not read', async () => {
  await using cache = await setup();
  await cache.ask(whole);
  expect((await cache.ask(whole, 'other'))[1]).toBe(0);
});

// From the prompt-caching page of the API's documentation.
test.each([
  ['claude-fable-5-1', 512],
  ['claude-opus-5-5', 512],
  ['claude-opus-5', 512],
  ['claude-sonnet-5-5', 512],
  ['claude-haiku-5-5', 512],
  ['claude-opus-4-8', 1024],
  ['claude-sonnet-5', 1024],
  ['claude-sonnet-4-6', 1024],
  ['claude-sonnet-4-5', 1024],
  ['claude-opus-4-7', 2048],
  ['claude-opus-4-6', 4096],
  ['claude-opus-4-5', 4096],
  ['claude-haiku-4-5', 4096],
])('%s caches from %i tokens on', async (model, minimum) => {
  await using cache = await setup();
  expect(await cache.ask({ model, system: system(minimum - 1, mark), messages: [user(10)] })).toEqual([
    minimum + 9,
    0,
    0,
    0,
  ]);
  expect(await cache.ask({ model, system: system(minimum, mark), messages: [user(10)] })).toEqual([10, 0, minimum, 0]);
});

test('two lifetimes in one request are written, counted and forgotten apart', async () => {
  await using cache = await setup();
  const both = { system: system(600, hour), messages: [user(100, mark)] };
  expect(await cache.ask(both)).toEqual([0, 0, 100, 600]);
  await cache.clock.pass(6 * 60_000);
  expect(await cache.ask(both)).toEqual([0, 600, 100, 0]);
});

test('a lifetime begins with the request, not with its answer', async () => {
  const clock = fakeClock();
  await using server = await modelServer({ clock, faults: [{ slowStart: 200, times: 1 }] });
  const body = { ...hello, system: system(600, mark) };
  const slow = server.post('/v1/messages', body);
  await eventually(() => expect(server.log()).toHaveLength(1));
  await clock.advance(200_000);
  await slow;
  await clock.pass(99_999);
  const early = Answer.parse(await (await server.post('/v1/messages', body)).json());
  expect(early.usage.cache_read_input_tokens).toBe(600);
  await clock.pass(300_000);
  const late = Answer.parse(await (await server.post('/v1/messages', body)).json());
  expect(late.usage.cache_read_input_tokens).toBe(0);
});

test('the automatic breakpoint is the last block', async () => {
  await using cache = await setup();
  const automatic = { system: system(600), messages: [user(50)], cache_control: { type: 'ephemeral', ttl: '1h' } };
  expect(await cache.ask(automatic)).toEqual([0, 0, 0, 650]);
  expect(await cache.ask({ ...automatic, messages: [user(50), user(20)] })).toEqual([0, 650, 0, 20]);
});

test.each([
  ['529', 0],
  ['prompt-too-long', 0],
  ['cut', 600],
])('a request that fails (%s) has written what an answer has begun on', async (flag, read) => {
  await using server = await modelServer({ faults: [parseFault(flag)] });
  const body = { ...hello, system: system(600, mark) };
  await (await server.post('/v1/messages', body)).text().catch(() => '');
  const { usage } = Answer.parse(await (await server.post('/v1/messages', body)).json());
  expect(usage.cache_read_input_tokens).toBe(read);
});
