import { expect, test } from 'vitest';
import { createStrikes, Fault } from '../../src/modelServer/faults/fault.js';
import { parseFault } from '../../src/modelServer/faults/flag.js';
import { eventually } from '../helpers/eventually.js';
import { fakeClock } from '../helpers/fakeClock.js';
import { from, hello, modelServer } from './helpers.js';

const SCRIPT = "agents: {'*': [{name: look, reply: [{text: I look.}, {tool: Grep, input: {pattern: 'a long one'}}]}]}";
const streamed = { ...hello, stream: true };

test.each<[string, Fault]>([
  ['529', { status: 529 }],
  ['529,for=10s', { status: 529, for: 10 }],
  ['429,retry-after=3,times=2', { status: 429, retryAfter: 3, times: 2 }],
  ['500,message=out of order', { status: 500, message: 'out of order' }],
  ['cut,every=5,after=2', { stream: 'cut', every: 5, after: 2 }],
  ['error', { stream: 'error' }],
  ['malformed', { stream: 'malformed' }],
  ['hang', { stream: 'hang' }],
  ['silent', { stream: 'silent' }],
  ['max-tokens', { stop: 'max_tokens' }],
  ['refusal', { stop: 'refusal' }],
  ['prompt-too-long', { promptTooLong: true }],
  ['slow-start=500ms', { slowStart: 0.5 }],
  ['slow-start=2m,tokens-per-second=20', { slowStart: 120, tokensPerSecond: 20 }],
])('--fault %s', (text, fault) => {
  expect(parseFault(text)).toEqual(fault);
  expect(Fault.parse(fault)).toEqual(fault);
});

test.each([
  ['', 'there is no fault "".'],
  ['cat', 'there is no fault "cat". Did you mean "cut"?'],
  ['200', 'there is no fault "200".'],
  ['529,times=0', 'times is not a number that fits'],
  ['529,for=soon', 'for is not a number that fits'],
  ['529,fro=2', 'there is no setting "fro". Did you mean "for"?'],
  ['cut,tokens-per-second=3', 'a fault is one of'],
  ['slow-start=', 'slowStart is not a number that fits'],
])('--fault %j is refused', (text, words) => {
  expect(() => parseFault(text)).toThrow(
    expect.objectContaining({ name: 'UserError', message: expect.stringContaining(`--fault ${text}: ${words}`) }),
  );
});

test.each<[string, string, string]>([
  ['once, where nothing else is said', '529', 'x.......'],
  ['so many times', '529,times=3', 'xxx.....'],
  ['behind the first ones', '529,after=2,times=2', '..xx....'],
  ['each so many', '529,every=3', '..x..x..'],
  ['each so many, so many times', '529,every=3,times=1', '..x.....'],
  ['for a time, one request coming each second', '529,for=4s', 'xxxx....'],
  ['for a time from the first one on', '529,after=2,for=3s', '..xxx...'],
  ['always, where it is slowness', 'tokens-per-second=9', 'xxxxxxxx'],
])('a fault strikes %s', (_, flag, pattern) => {
  const strikes = createStrikes(parseFault(flag));
  expect(Array.from({ length: 8 }, (_, second) => (strikes(second * 1000) ? 'x' : '.')).join('')).toBe(pattern);
});

test.each<[string, object, object]>([
  ['429,retry-after=3', { type: 'rate_limit_error' }, { status: 429, retryAfter: '3' }],
  ['500', { type: 'api_error', message: 'Internal server error' }, { status: 500, retryAfter: null }],
  ['529', { type: 'overloaded_error', message: 'Overloaded' }, { status: 529, retryAfter: null }],
  [
    'prompt-too-long',
    { type: 'invalid_request_error', message: 'prompt is too long: 1000001 tokens > 1000000 maximum' },
    { status: 400, retryAfter: null },
  ],
])('%s is answered as the API does, and the next request finds the script where it was', async (flag, error, head) => {
  await using server = await modelServer({ script: SCRIPT, faults: [parseFault(flag)] });
  const failed = await server.post('/v1/messages', streamed);
  expect({ status: failed.status, retryAfter: failed.headers.get('retry-after') }).toEqual(head);
  expect(await failed.json()).toMatchObject({ type: 'error', error });
  expect((await server.post('/v1/messages', streamed)).status).toBe(200);
  expect(server.log()).toMatchObject([{ fault: expect.any(String), rule: 'look' }, { rule: 'look' }]);
});

/** All that comes, and whether the connection was lost. */
async function received(response: Response): Promise<{ text: string; isCut: boolean }> {
  let text = '';
  try {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString('utf8');
    return { text, isCut: false };
  } catch {
    return { text, isCut: true };
  }
}

test('a stream is cut in the middle of the JSON of a delta of the script’s own call', async () => {
  await using server = await modelServer({ script: SCRIPT, faults: [parseFault('cut')] });
  const { text, isCut } = await received(await server.post('/v1/messages', streamed));
  expect(isCut).toBe(true);
  expect(text).toContain('"name":"Grep"');
  expect(text).toContain('"partial_json":"{\\"patt');
  expect(text).toMatch(
    /data: \{"type":"content_block_delta","index":1,"delta":\{"type":"input_json_delta","partial_json":"[^}]*$/,
  );
});

test('an error event, or what is no JSON, comes in the same place', async () => {
  await using server = await modelServer({ script: SCRIPT, faults: ['error', 'malformed'].map(parseFault) });
  const error = await received(await server.post('/v1/messages', streamed));
  expect(error.text).toMatch(
    /"input_json_delta".*\n\nevent: error\ndata: \{"type":"error","error":\{"type":"overloaded_error","message":"Overloaded"\},"request_id":"req_\w+"\}\n\n$/,
  );
  const malformed = await received(await server.post('/v1/messages', streamed));
  expect(malformed.text).toMatch(/event: content_block_delta\ndata: \{"type":"content_block_delta","index":\n\n$/);
});

test('an answer in one piece is cut, or is no JSON, or fails', async () => {
  await using server = await modelServer({ script: SCRIPT, faults: ['cut', 'malformed', 'error'].map(parseFault) });
  expect(await received(await server.post('/v1/messages', hello))).toMatchObject({ isCut: true });
  const { text } = await received(await server.post('/v1/messages', hello));
  expect(() => JSON.parse(text)).toThrow(SyntaxError);
  expect((await server.post('/v1/messages', hello)).status).toBe(529);
});

test.each(['hang', 'silent'])('%s keeps the client waiting until it hangs up, and the log says so', async (flag) => {
  await using server = await modelServer({ script: SCRIPT, faults: [parseFault(flag)] });
  const abort = new AbortController();
  const answer = fetch(`${server.url}/v1/messages`, {
    method: 'POST',
    body: JSON.stringify(streamed),
    headers: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
    signal: abort.signal,
  }).then((response) => response.text());
  await eventually(() => expect(server.log()).toMatchObject([{ fault: flag }]));
  abort.abort();
  await expect(answer).rejects.toThrow('aborted');
  await eventually(() => expect(server.log()).toMatchObject([{ hungUp: true }]));
});

test('max-tokens ends the answer in the middle of its call, and the script has not moved on', async () => {
  await using server = await modelServer({
    script: SCRIPT.replace('name: look', 'name: look, once: true'),
    faults: [parseFault('max-tokens')],
  });
  const { text } = await received(await server.post('/v1/messages', streamed));
  expect(text).toContain('"stop_reason":"max_tokens"');
  expect(text).not.toContain('long one');
  expect(await (await server.post('/v1/messages', hello)).json()).toMatchObject({ stop_reason: 'tool_use' });
});

test('where nothing is called, max-tokens ends the text in its middle', async () => {
  await using server = await modelServer({
    script: "agents: {'*': [{reply: one two, fault: {stop: max_tokens}}]}",
  });
  expect(await (await server.post('/v1/messages', hello)).json()).toMatchObject({
    content: [{ text: 'one ' }],
    stop_reason: 'max_tokens',
  });
  expect(await (await server.post('/v1/messages', hello)).json()).toMatchObject({ content: [{ text: 'one two' }] });
});

test('a refusal has no content and says what it is', async () => {
  await using server = await modelServer({ script: SCRIPT, faults: [parseFault('refusal')] });
  expect(await (await server.post('/v1/messages', hello)).json()).toMatchObject({
    content: [],
    stop_reason: 'refusal',
    stop_details: { type: 'refusal' },
  });
});

test('a rule’s own fault goes before one from the command line, each with its own count', async () => {
  await using server = await modelServer({
    script: "agents: {'*': [{reply: at last, fault: {status: 500, times: 2}}]}",
    faults: [parseFault('429')],
  });
  const statuses: number[] = [];
  for (let n = 0; n < 4; n++) statuses.push((await server.post('/v1/messages', from('a', 'x'))).status);
  expect(statuses).toEqual([500, 500, 429, 200]);
});

test('the first token can be late, the others slow, and the head comes at once', async () => {
  const clock = fakeClock();
  await using server = await modelServer({
    clock,
    script: "agents: {'*': [{reply: 'eight tokens of four letters ...'}]}",
    faults: [parseFault('slow-start=5,tokens-per-second=2')],
  });
  const response = await server.post('/v1/messages', streamed);
  const state = { text: '', isOver: false };
  const reading = (async () => {
    for await (const chunk of response.body ?? []) state.text += Buffer.from(chunk).toString('utf8');
    state.isOver = true;
  })();
  const tokens = () => state.text.split('text_delta').length - 1;
  await eventually(() => expect(state.text).toContain('message_start'));
  await clock.advance(4999);
  expect(state.text).not.toContain('content_block_start');
  await clock.advance(1);
  await eventually(() => expect(state.text).toContain('content_block_start'));
  for (let token = 1; token <= 8; token++) {
    await clock.advance(499);
    expect(tokens()).toBe(token - 1);
    await clock.advance(1);
    await eventually(() => expect(tokens()).toBe(token));
  }
  await eventually(() => expect(state.isOver).toBe(true));
  await reading;
});

test('an answer in one piece is as late as its tokens', async () => {
  const clock = fakeClock();
  await using server = await modelServer({ clock, faults: [parseFault('slow-start=5')] });
  const state = { isHere: false };
  const answer = server.post('/v1/messages', hello).then((response) => {
    state.isHere = true;
    return response;
  });
  await eventually(() => expect(server.log()).toHaveLength(1));
  await clock.advance(4999);
  expect(state.isHere).toBe(false);
  await eventually(async () => {
    await clock.advance(1);
    expect(state.isHere).toBe(true);
  });
  expect((await answer).status).toBe(200);
});

test('a client that hangs up ends a slow stream', async () => {
  await using server = await modelServer({ script: SCRIPT, faults: [parseFault('tokens-per-second=0.01')] });
  const response = await server.post('/v1/messages', streamed);
  await response.body?.cancel();
  await eventually(() => expect(server.log()).toMatchObject([{ hungUp: true }]));
});
