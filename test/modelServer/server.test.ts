import Anthropic from '@anthropic-ai/sdk';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/host/clock.js';
import { startModelServer } from '../../src/modelServer/server.js';
import { countingIds, hello, modelServer } from './helpers.js';

const script = `
agents:
  '*':
    - reply:
        - thinking: Hm.
        - text: Let me look at it.
        - {tool: Read, input: {file_path: /a.ts}}
        - {tool: Bash, input: {}}
`;

const sdkFor = (baseURL: string) => new Anthropic({ baseURL, apiKey: 'k', maxRetries: 0, logLevel: 'off' });
const params = { model: 'claude-opus-5-5', max_tokens: 100, messages: [{ role: 'user' as const, content: 'hello' }] };

test('a message is streamed as the API streams it', async () => {
  await using server = await modelServer({ script });
  const response = await server.post('/v1/messages', { ...hello, stream: true });
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const written = await response.text();
  const frames = written.split('\n\n').filter((frame) => frame !== '');
  expect(written.endsWith('\n\n')).toBe(true);
  const events = frames.map((frame) => {
    const [, name = '', data = ''] = /^event: (\w+)\ndata: (.*)$/.exec(frame) ?? [];
    return { name, data: JSON.parse(data) };
  });
  expect(events.every(({ name, data }) => data.type === name)).toBe(true);
  expect(events.map(({ name, data: { index, delta, content_block: block } }) => [name, index, delta ?? block])).toEqual(
    [
      ['message_start', undefined, undefined],
      ['content_block_start', 0, { type: 'thinking', thinking: '', signature: '' }],
      ['ping', undefined, undefined],
      ['content_block_delta', 0, { type: 'thinking_delta', thinking: 'H' }],
      ['content_block_delta', 0, { type: 'thinking_delta', thinking: 'm' }],
      ['content_block_delta', 0, { type: 'thinking_delta', thinking: '.' }],
      ['content_block_delta', 0, { type: 'signature_delta', signature: expect.stringMatching(/^sig_/) }],
      ['content_block_stop', 0, undefined],
      ['content_block_start', 1, { type: 'text', text: '', citations: null }],
      ['content_block_delta', 1, { type: 'text_delta', text: 'Let m' }],
      ['content_block_delta', 1, { type: 'text_delta', text: 'e loo' }],
      ['content_block_delta', 1, { type: 'text_delta', text: 'k at ' }],
      ['content_block_delta', 1, { type: 'text_delta', text: 'it.' }],
      ['content_block_stop', 1, undefined],
      [
        'content_block_start',
        2,
        { type: 'tool_use', id: expect.stringMatching(/^toolu_/), name: 'Read', input: {}, caller: { type: 'direct' } },
      ],
      ['content_block_delta', 2, { type: 'input_json_delta', partial_json: '' }],
      ['content_block_delta', 2, { type: 'input_json_delta', partial_json: '{"file' }],
      ['content_block_delta', 2, { type: 'input_json_delta', partial_json: '_path"' }],
      ['content_block_delta', 2, { type: 'input_json_delta', partial_json: ':"/a.t' }],
      ['content_block_delta', 2, { type: 'input_json_delta', partial_json: 's"}' }],
      ['content_block_stop', 2, undefined],
      [
        'content_block_start',
        3,
        { type: 'tool_use', id: expect.stringMatching(/^toolu_/), name: 'Bash', input: {}, caller: { type: 'direct' } },
      ],
      ['content_block_delta', 3, { type: 'input_json_delta', partial_json: '' }],
      ['content_block_stop', 3, undefined],
      [
        'message_delta',
        undefined,
        { stop_reason: 'tool_use', stop_sequence: null, stop_details: null, container: null },
      ],
      ['message_stop', undefined, undefined],
    ],
  );
  expect(events[0]?.data.message).toMatchObject({
    role: 'assistant',
    content: [],
    stop_reason: null,
    usage: { output_tokens: 1 },
  });
  expect(events.at(-2)?.data.usage.output_tokens).toBeGreaterThan(1);
});

test('the API’s own SDK reads the same message from a stream and from a plain answer', async () => {
  await using server = await modelServer({ script });
  const sdk = sdkFor(server.url);
  const plain = await sdk.messages.create(params);
  const streamed = await sdk.messages.stream(params).finalMessage();
  const content = [
    { type: 'thinking', thinking: 'Hm.' },
    { type: 'text', text: 'Let me look at it.' },
    { type: 'tool_use', name: 'Read', input: { file_path: '/a.ts' } },
    { type: 'tool_use', name: 'Bash', input: {} },
  ];
  for (const message of [plain, streamed])
    expect(message).toMatchObject({ type: 'message', model: params.model, content, stop_reason: 'tool_use' });
  expect(streamed.usage).toEqual(plain.usage);
});

test('tokens counted in advance are those of the request', async () => {
  await using server = await modelServer();
  const sdk = sdkFor(server.url);
  const { input_tokens } = await sdk.messages.countTokens({ model: params.model, messages: params.messages });
  // user{"type":"text","text":"hello"} has 34 bytes.
  expect(input_tokens).toBe(9);
  expect((await sdk.messages.create(params)).usage.input_tokens).toBe(9);
});

test('the models are listed with their limits', async () => {
  await using server = await modelServer();
  const sdk = sdkFor(server.url);
  const ids: string[] = [];
  for await (const model of sdk.models.list()) ids.push(model.id);
  expect(ids).toContain('claude-sonnet-5-5');
  expect(await sdk.models.retrieve('claude-haiku-4-5')).toMatchObject({
    max_input_tokens: 200_000,
    max_tokens: 64_000,
  });
  await expect(sdk.models.retrieve('claude-x')).rejects.toThrow('404');
});

test('the log tells who asked what and what the answer was, refusals too', async () => {
  await using server = await modelServer({ script: "agents: {alice: [{name: greet, reply: 'hi'}]}" });
  await server.post('/v1/messages', { ...hello, metadata: { user_id: 'troupe:red:alice' } });
  await server.post('/v1/messages', { ...hello, max_tokens: undefined });
  const log: unknown = await (await fetch(`${server.url}/__log`)).json();
  expect(log).toMatchObject([
    {
      path: '/v1/messages',
      userId: 'troupe:red:alice',
      model: hello.model,
      body: { max_tokens: 100 },
      status: 200,
      rule: 'greet',
      reply: { content: [{ text: 'hi' }] },
    },
    { path: '/v1/messages', userId: '', status: 400, reply: { type: 'invalid_request_error' } },
  ]);
  expect(JSON.parse(JSON.stringify(server.log()))).toEqual(log);
  expect(JSON.stringify(log)).not.toContain('x-api-key');
});

test('max_tokens 0 only fills the cache, and no rule is used up', async () => {
  await using server = await modelServer({ script: "agents: {'*': [{when: {turn: 1}, reply: 'first'}]}" });
  const sdk = sdkFor(server.url);
  expect(await sdk.messages.create({ ...params, max_tokens: 0 })).toMatchObject({
    content: [],
    stop_reason: 'max_tokens',
  });
  expect((await sdk.messages.create(params)).content).toMatchObject([{ text: 'first' }]);
});

test('an answer that reached max_tokens ends in the middle of its last call', async () => {
  await using server = await modelServer({
    script: "agents: {'*': [{stop: max_tokens, reply: [{tool: Write, input: {text: abcdefgh}}]}]}",
  });
  const message = await sdkFor(server.url).messages.stream(params).finalMessage();
  expect(message).toMatchObject({ stop_reason: 'max_tokens', content: [{ name: 'Write' }] });
  expect(message.content[0]).not.toMatchObject({ input: { text: 'abcdefgh' } });
});

test('a port that is taken is an error for the person', async () => {
  await using server = await modelServer();
  await expect(startModelServer({ clock: systemClock, ids: countingIds(), port: server.port })).rejects.toThrow(
    /cannot listen on 127\.0\.0\.1:\d+: .*EADDRINUSE/,
  );
});
