import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import { expect, test } from 'vitest';
import { tempDir } from '../helpers/tempDir.js';
import { hello, modelServer } from './helpers.js';

// The API's own SDK and a bare HTTP client: neither knows anything of this program.

const sdkFor = (baseURL: string, maxRetries = 0) =>
  new Anthropic({ baseURL, apiKey: 'k', maxRetries, logLevel: 'off' });
const params = { model: 'claude-opus-5-5', max_tokens: 1000, messages: [{ role: 'user' as const, content: 'hello' }] };

test('the SDK’s tool runner reads a file that the script found, and writes what the script makes of it', async () => {
  await using dir = await tempDir();
  await writeFile(join(dir.path, 'a.txt'), 'answer=41\n');
  await using server = await modelServer({
    script: `
agents:
  '*':
    - {when: {turn: 1}, reply: [{text: I read it.}, {tool: read, input: {name: a.txt}}]}
    - when: {tool: read}
      capture: {key: {from: result, match: '^(\\w+)='}}
      reply: [{tool: write, input: {name: a.txt, text: '{{key}}=42'}}]
    - {reply: 'Done: {{result}}'}
`,
  });
  const names = { type: 'string' } as const;
  const runner = sdkFor(server.url).beta.messages.toolRunner({
    ...params,
    tools: [
      betaTool({
        name: 'read',
        description: 'reads a file',
        inputSchema: { type: 'object', properties: { name: names }, required: ['name'] },
        run: ({ name }) => readFile(join(dir.path, name), 'utf8'),
      }),
      betaTool({
        name: 'write',
        description: 'writes a file',
        inputSchema: { type: 'object', properties: { name: names, text: names }, required: ['name', 'text'] },
        run: async ({ name, text }) => {
          await writeFile(join(dir.path, name), text);
          return `wrote ${text}`;
        },
      }),
    ],
  });
  expect((await runner).content).toMatchObject([{ type: 'text', text: 'Done: wrote answer=42' }]);
  expect(await readFile(join(dir.path, 'a.txt'), 'utf8')).toBe('answer=42');
  expect(server.log().map(({ status }) => status)).toEqual([200, 200, 200]);
});

test('a conversation that the server holds is answered as if it had been sent whole, and a lost one starts anew', async () => {
  const script =
    "agents: {'*': [{when: {turn: 1}, reply: first}, {when: {seen: [hello, first]}, reply: 'then {{user}}'}]}";
  await using server = await modelServer({ script });
  const thread = sdkFor(server.url).beta.messages.thread({ model: params.model, max_tokens: 100, system: 'Be brief.' });
  expect((await thread.send({ role: 'user', content: 'hello' })).content).toMatchObject([{ text: 'first' }]);
  const second = await thread.send({ role: 'user', content: 'next' });
  expect(second.content).toMatchObject([{ text: 'then next' }]);
  expect(server.log()[1]?.body).not.toHaveProperty('system');
  const counted = await sdkFor(server.url).messages.countTokens({
    model: params.model,
    system: 'Be brief.',
    messages: [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: [{ type: 'text', text: 'first', citations: null }] },
      { role: 'user', content: 'next' },
    ],
  });
  expect(second.usage.input_tokens).toBe(counted.input_tokens);
  const lost = await server.post('/v1/messages', {
    ...hello,
    thread: { type: 'continue', previous_message_id: 'msg_gone' },
  });
  expect([lost.status, await lost.json()]).toMatchObject([
    404,
    { error: { type: 'not_found_error', details: { error_code: 'thread_not_found' } } },
  ]);
});

test('the SDK retries what fails by its own rules, honours retry-after, and then gets its answer', async () => {
  await using server = await modelServer({
    faults: [
      { status: 429, retryAfter: 0 },
      { status: 529, retryAfter: 0 },
    ],
  });
  const message = await sdkFor(server.url, 2).messages.create(params);
  expect(message.stop_reason).toBe('end_turn');
  expect(server.log().map(({ status }) => status)).toEqual([429, 529, 200]);
});

test.each([
  [{ status: 400 }, Anthropic.BadRequestError],
  [{ status: 401 }, Anthropic.AuthenticationError],
  [{ status: 403 }, Anthropic.PermissionDeniedError],
  [{ status: 404 }, Anthropic.NotFoundError],
  [{ status: 429 }, Anthropic.RateLimitError],
  [{ status: 529 }, Anthropic.InternalServerError],
])('the SDK knows the error %j', async (fault, kind) => {
  await using server = await modelServer({ faults: [{ ...fault, message: 'so it is' }] });
  await expect(sdkFor(server.url).messages.create(params)).rejects.toSatisfy(
    (error) => error instanceof kind && error.status === fault.status && error.message.includes('so it is'),
  );
});

test('the SDK’s stream hears text, thinking, calls and usage as they come', async () => {
  await using server = await modelServer({
    script: "agents: {'*': [{reply: [{thinking: Hm.}, {text: Hello.}, {tool: Read, input: {n: [1, {a: ü}]}}]}]}",
  });
  const heard: unknown[] = [];
  const stream = sdkFor(server.url)
    .messages.stream(params)
    .on('contentBlock', ({ type }) => heard.push(type))
    .on('end', () => heard.push('end'));
  const message = await stream.finalMessage();
  expect(message.content).toMatchObject([
    { thinking: 'Hm.' },
    { text: 'Hello.' },
    { name: 'Read', input: { n: [1, { a: 'ü' }] } },
  ]);
  expect(await stream.finalText()).toBe('Hello.');
  await stream.done();
  expect(heard).toEqual(['thinking', 'text', 'tool_use', 'end']);
  const { input_tokens } = await sdkFor(server.url).messages.countTokens({
    model: params.model,
    messages: params.messages,
  });
  expect(message.usage).toMatchObject({ input_tokens, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 });
});

test('a stream, read by hand, is what the documentation of the API says, to the last byte', async () => {
  await using server = await modelServer({
    script: "agents: {'*': [{reply: [{text: 'Hi, ü'}, {tool: Read, input: {a: 1}}]}]}",
  });
  const response = await server.post('/v1/messages', { ...hello, stream: true });
  expect(Object.fromEntries(response.headers)).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'request-id': 'req_000000000000000000000001',
  });
  expect(await response.text()).toBe(`event: message_start
data: {"type":"message_start","message":{"id":"msg_000000000000000000000002","type":"message","role":"assistant","model":"claude-opus-5-5","content":[],"container":null,"diagnostics":null,"stop_reason":null,"stop_sequence":null,"stop_details":null,"usage":{"input_tokens":9,"cache_read_input_tokens":0,"cache_creation_input_tokens":0,"cache_creation":{"ephemeral_5m_input_tokens":0,"ephemeral_1h_input_tokens":0},"output_tokens":1,"output_tokens_details":null,"inference_geo":null,"server_tool_use":null,"service_tier":"standard","speed":null}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":"","citations":null}}

event: ping
data: {"type":"ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":", "}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"ü"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_000000000000000000000003","name":"Read","input":{},"caller":{"type":"direct"}}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\\""}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"a\\""}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":":1"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null,"stop_details":null,"container":null},"usage":{"input_tokens":9,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":12,"output_tokens_details":null,"server_tool_use":null}}

event: message_stop
data: {"type":"message_stop"}

`);
});
