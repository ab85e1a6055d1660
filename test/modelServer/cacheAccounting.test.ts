import { expect, test } from 'vitest';
import * as z from 'zod/mini';
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
  await cache.clock.advance(4 * 60_000);
  expect((await cache.ask(short))[1]).toBe(600);
  await cache.clock.advance(4 * 60_000);
  expect((await cache.ask(short))[1]).toBe(600);
  await cache.clock.advance(5 * 60_000);
  expect((await cache.ask(short))[1]).toBe(0);
  expect((await cache.ask(long))[1]).toBe(700);
  await cache.clock.advance(60 * 60_000);
  expect(await cache.ask(long)).toEqual([9, 0, 0, 700]);
});

test('a breakpoint looks back over 20 blocks, itself included, and no further', async () => {
  await using cache = await setup();
  await cache.ask({ messages: [user(600, mark)] });
  const grown = (more: number) => [user(600), ...Array.from({ length: more - 1 }, () => user(10)), user(10, mark, 'z')];
  expect((await cache.ask({ messages: grown(20) }))[1]).toBe(0);
  expect((await cache.ask({ messages: grown(19) }))[1]).toBe(600);
});

test('another key, model, tool or tool choice does not read what was written', async () => {
  await using cache = await setup();
  const tools = [{ name: 'A', input_schema: { type: 'object' } }];
  const request = { system: system(600, mark), messages: [user(100, mark)] };
  await cache.ask(request);
  expect((await cache.ask(request, 'other'))[1]).toBe(0);
  expect((await cache.ask({ ...request, model: 'claude-opus-5' }))[1]).toBe(0);
  expect((await cache.ask({ ...request, tools }))[1]).toBe(0);
  // What only the messages depend on leaves the system prompt's entry valid.
  expect((await cache.ask({ ...request, tool_choice: { type: 'none' } }))[1]).toBe(600);
  expect((await cache.ask(request))[1]).toBe(700);
});
