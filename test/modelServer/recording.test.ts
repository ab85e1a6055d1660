import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import { expect, test } from 'vitest';
import type { Fault } from '../../src/modelServer/faults/fault.js';
import { readRecording } from '../../src/modelServer/recording/exchanges.js';
import { createRecorder } from '../../src/modelServer/recording/recorder.js';
import { createReplayer } from '../../src/modelServer/recording/replayer.js';
import { tempDir } from '../helpers/tempDir.js';
import { from, hello, modelServer } from './helpers.js';

const KEY = 'sk-ant-api03-secret_secret';
const SCRIPT = `
agents:
  '*':
    - {when: {user: again}, reply: 'Überall “quotes” and ☃'}
    - {reply: [{thinking: Hm.}, {text: I look.}, {tool: Grep, input: {pattern: a}}]}
`;

/** A scripted service, and a server in front of it that records what passes. */
async function recording(file: string, faults: Fault[] = []) {
  const upstream = await modelServer({ script: SCRIPT, faults });
  const proxy = await modelServer({ respond: await createRecorder({ file, upstream: upstream.url }) });
  return {
    post: proxy.post,
    url: proxy.url,
    upstream,
    async [Symbol.asyncDispose]() {
      await proxy.close();
      await upstream.close();
    },
  };
}

async function replaying(file: string) {
  return modelServer({ respond: createReplayer(await readRecording(file), file) });
}

/** All that a client can see of an answer, as bytes. */
async function seen(response: Response) {
  const chunks: Uint8Array[] = [];
  let isCut = false;
  try {
    for await (const chunk of response.body ?? []) chunks.push(chunk);
  } catch {
    isCut = true;
  }
  const headers = ['content-type', 'request-id', 'retry-after'].map((name) => response.headers.get(name));
  return { status: response.status, headers, isCut, body: Buffer.concat(chunks).toString('hex') };
}

/** An exchange is kept once its last byte has come. */
const heard = async (answer: Promise<Response>) => (await answer).text();

const auth = { 'x-api-key': KEY };
const requests: [string, unknown][] = [
  ['/v1/messages?beta=true', { ...hello, stream: true }],
  ['/v1/messages?beta=true', { ...hello, stream: true }],
  ['/v1/messages?beta=true', { ...hello, stream: true }],
  ['/v1/messages', from('troupe:red:alice', 'again')],
  ['/v1/messages/count_tokens', { model: hello.model, messages: hello.messages }],
  ['/v1/messages', { ...hello, max_tokens: 'many' }],
];

test('a recorded run replays byte for byte: streams, errors, cut connections', async () => {
  await using dir = await tempDir();
  const file = join(dir.path, 'run.jsonl');
  const live: unknown[] = [];
  {
    await using service = await recording(file, [{ status: 429, retryAfter: 2 }, { stream: 'cut' }]);
    for (const [path, body] of requests) live.push(await seen(await service.post(path, body, auth)));
  }
  expect(live).toMatchObject([
    { status: 429, headers: ['application/json', expect.any(String), '2'] },
    { status: 200, isCut: true },
    { status: 200, isCut: false },
    { status: 200 },
    { status: 200 },
    { status: 400 },
  ]);
  await using server = await replaying(file);
  const replayed: unknown[] = [];
  for (const [path, body] of requests)
    replayed.push(await seen(await server.post(path, body, { 'x-api-key': 'other' })));
  expect(replayed).toEqual(live);
});

test('the API’s own SDK works against both, and gets the same message', async () => {
  await using dir = await tempDir();
  const file = join(dir.path, 'run.jsonl');
  const ask = (baseURL: string) =>
    new Anthropic({ baseURL, apiKey: KEY, maxRetries: 0, logLevel: 'off' }).messages
      .stream({ model: hello.model, max_tokens: 100, messages: [{ role: 'user', content: 'hello' }] })
      .finalMessage();
  let live: unknown;
  {
    await using service = await recording(file);
    live = await ask(service.url);
  }
  await using server = await replaying(file);
  expect(await ask(server.url)).toEqual(live);
});

test('no key is kept: not the one that came with a request, nor what looks like one', async () => {
  await using dir = await tempDir();
  const file = join(dir.path, 'run.jsonl');
  const gateway = 'a-gateway-token-of-its-own';
  const body = from('a', `again: ${KEY} ${gateway}`);
  {
    await using service = await recording(file);
    await heard(service.post('/v1/messages', body, auth));
    await heard(service.post('/v1/messages', body, { authorization: `Bearer ${gateway}` }));
    expect(service.upstream.log().map(({ status }) => status)).toEqual([200, 200]);
  }
  const text = await readFile(file, 'utf8');
  expect(text).not.toContain('secret_secret');
  expect(text.split('\n')[1]).not.toContain(gateway);
  expect(text).toContain('[key removed]');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await using server = await replaying(file);
  expect((await server.post('/v1/messages', body, auth)).status).toBe(200);
});

test('agents may ask in another order, and a team may have another name', async () => {
  await using dir = await tempDir();
  const file = join(dir.path, 'run.jsonl');
  const asked = ['alice', 'bob'].map((name) => from(`troupe:red:${name}`, `I am ${name}`));
  const live: string[] = [];
  {
    await using service = await recording(file);
    for (const body of asked) live.push(await (await service.post('/v1/messages', body, auth)).text());
  }
  await using server = await replaying(file);
  const renamed = asked.map((body) => ({ ...body, metadata: { user_id: 'troupe:blue:x' } })).reverse();
  const replayed: string[] = [];
  for (const body of renamed) replayed.push(await (await server.post('/v1/messages', body, auth)).text());
  expect(replayed.reverse()).toEqual(live);
});

test('ids that are new in every run may differ, and an answer repeats the new one, also where it is streamed in pieces', async () => {
  await using dir = await tempDir();
  const file = join(dir.path, 'run.jsonl');
  const [old, other, fresh] = [1, 2, 3].map((n) => `0000000${n}-0000-7000-8000-00000000000${n}`) as [
    string,
    string,
    string,
  ];
  const script = `
agents:
  '*':
    - capture: { id: { from: user, match: 'request (\\S+)' } }
      reply: [{ text: 'It is {{id}}, not ${other}.' }, { tool: Grep, input: { deep: { request_id: '{{id}}', note: 'ü "x"' } } }]
`;
  const body = (id: string, stream: boolean) => ({ ...from('troupe:red:alice', `request ${id} and ${id}`), stream });
  const live: string[] = [];
  {
    await using upstream = await modelServer({ script });
    await using proxy = await modelServer({ respond: await createRecorder({ file, upstream: upstream.url }) });
    for (const stream of [true, false])
      live.push(await (await proxy.post('/v1/messages', body(old, stream), auth)).text());
  }
  await using server = await replaying(file);
  const sdk = new Anthropic({ baseURL: server.url, apiKey: 'k', maxRetries: 0, logLevel: 'off' });
  const { messages, model, max_tokens, tools } = body(fresh, true);
  const streamed = await sdk.messages
    .stream(JSON.parse(JSON.stringify({ messages, model, max_tokens, tools, metadata: { user_id: 'x' } })))
    .finalMessage();
  const content = [
    { text: `It is ${fresh}, not ${other}.` },
    { name: 'Grep', input: { deep: { request_id: fresh, note: 'ü "x"' } } },
  ];
  expect(streamed).toMatchObject({ content });
  const plainAnswer = await (await server.post('/v1/messages', body(fresh, false), auth)).text();
  expect(plainAnswer).toBe(live[1]?.replaceAll(old, fresh));
});

test('a request that differs is refused, with the difference', async () => {
  await using dir = await tempDir();
  const file = join(dir.path, 'run.jsonl');
  const asked = (words: string) => from('troupe:red:alice', `First line\n${words}\nLast line`);
  {
    await using service = await recording(file);
    await heard(service.post('/v1/messages', from('troupe:red:bob', 'x'), auth));
    await heard(service.post('/v1/messages', asked('The old way'), auth));
  }
  await using server = await replaying(file);
  const refused = await server.post('/v1/messages', asked('The new way'), auth);
  const problem = `This request of troupe:red:alice is not in ${file}. The next one there differs:
--- recorded
+++ asked
@@ -3,5 +3,5 @@
   - content: |-
       First line
-      The old way
+      The new way
       Last line
     role: user`;
  expect([refused.status, await refused.json()]).toEqual([
    400,
    {
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringMatching(/^This request/) },
      request_id: expect.any(String),
    },
  ]);
  expect(server.log()[0]?.problem).toContain(problem);
  expect((await server.post('/v1/messages', asked('The old way'), auth)).status).toBe(200);
});

test('each exchange answers once, and then nothing is left', async () => {
  await using dir = await tempDir();
  const file = join(dir.path, 'run.jsonl');
  {
    await using service = await recording(file);
    await heard(service.post('/v1/messages', hello, auth));
  }
  await using server = await replaying(file);
  expect((await server.post('/v1/messages', hello, auth)).status).toBe(200);
  expect(await (await server.post('/v1/messages', hello, auth)).json()).toMatchObject({
    error: { message: `Nothing is left in ${file} for POST /v1/messages.` },
  });
});

test('a service that cannot be reached is a 502 that names it, and nothing is kept', async () => {
  await using dir = await tempDir();
  const file = join(dir.path, 'run.jsonl');
  const gone = await modelServer();
  await gone.close();
  await using proxy = await modelServer({ respond: await createRecorder({ file, upstream: gone.url }) });
  const failed = await proxy.post('/v1/messages', hello, auth);
  expect([failed.status, await failed.json()]).toMatchObject([
    502,
    {
      error: {
        type: 'api_error',
        message: expect.stringContaining(`${gone.url} cannot be reached: connect ECONNREFUSED`),
      },
    },
  ]);
  expect(await readFile(file, 'utf8')).toBe('');
});

test('a recording is never written over, and a broken one is refused by file and line', async () => {
  await using dir = await tempDir();
  const file = join(dir.path, 'run.jsonl');
  await writeFile(file, '\n{"request":1}\n');
  await expect(createRecorder({ file, upstream: 'http://127.0.0.1:1' })).rejects.toThrow(
    `Cannot record to ${file}: it exists already.`,
  );
  await expect(readRecording(file)).rejects.toThrow(`${file}:2 is not what it should be`);
  await expect(readRecording(join(dir.path, 'none'))).rejects.toThrow(/^Cannot read the recording .*ENOENT/);
});
