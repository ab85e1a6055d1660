import { expect, test } from 'vitest';
import { hello, modelServer } from './helpers.js';

const tool = {
  name: 'Read',
  description: 'reads',
  input_schema: { type: 'object', properties: { file: { type: 'string' } } },
};
const call = (id: string) => ({ type: 'tool_use', id, name: 'Read', input: {} });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' });
const text = (words: string, more = {}) => ({ type: 'text', text: words, ...more });
const short = { cache_control: { type: 'ephemeral' } };
const long = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const search = { type: 'web_search_20250305', name: 'web_search' };
const searchUse = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } };
const searchResult = {
  type: 'web_search_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: [{ type: 'web_search_result', url: 'https://a.com', title: 'A', encrypted_content: 'e' }],
};
const talk = (...turns: unknown[]) => ({
  tools: [tool],
  messages: turns.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content })),
});
const withSchema = (input_schema: unknown) => ({ tools: [{ ...tool, input_schema }] });

const notAnswered = (message: number, ids: string) =>
  `messages.${message}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}. ` +
  'Each `tool_use` block must have a corresponding `tool_result` block in the next message.';

test.each<[string, object, string]>([
  ['a body without max_tokens', { max_tokens: undefined }, 'max_tokens: Field required'],
  ['a body without messages', { messages: undefined }, 'messages: Field required'],
  ['no message at all', { messages: [] }, 'messages: at least one message is required'],
  [
    'a role that there is not',
    { messages: [{ role: 'bot', content: 'x' }] },
    "messages.0.role: Input should be 'user' or 'assistant' or 'system'",
  ],
  ['a text block without its text', talk([{ type: 'text' }]), 'messages.0.content.0.text.text: Field required'],
  [
    'a first message that is not the user’s',
    { messages: [{ role: 'assistant', content: 'hi' }] },
    'messages: first message must use the "user" role',
  ],
  [
    'an empty message',
    talk(''),
    'messages.0: all messages must have non-empty content except for the optional final assistant message',
  ],
  [
    'a message without blocks',
    talk([]),
    'messages.0: all messages must have non-empty content except for the optional final assistant message',
  ],
  ['an empty text', talk([text('')]), 'messages: text content blocks must be non-empty'],
  ['a blank text', talk([text(' \n')]), 'messages: text content blocks must contain non-whitespace text'],
  [
    'an empty text in a result',
    talk('go', [call('a')], [{ ...result('a'), content: [text('')] }]),
    'messages: text content blocks must be non-empty',
  ],
  [
    'a web search with domains both allowed and blocked',
    { tools: [{ ...search, allowed_domains: ['a.com'], blocked_domains: ['b.com'] }] },
    'tools.0.web_search_20250305: Only one of allowed_domains or blocked_domains may be specified.',
  ],
  [
    'a web search by another name',
    { tools: [{ ...search, name: 'WebSearch' }] },
    "tools.0.web_search_20250305.name: Input should be 'web_search'",
  ],
  [
    'a web search that may not be used',
    { tools: [{ ...search, max_uses: 0 }] },
    'tools.0.web_search_20250305.max_uses: Input should be greater than 0',
  ],
  [
    'a search with an id of a call',
    talk('go', [{ ...searchUse, id: 'toolu_1' }]),
    "messages.1.content.0.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'",
  ],
  [
    'a search without its result',
    talk('go', [searchUse], 'and?'),
    'messages.1: `web_search` tool use with id `srvtoolu_1` was found without a corresponding `web_search_tool_result` block',
  ],
  [
    'a result without its search',
    talk('go', [searchResult], 'and?'),
    '^messages\\.1\\.content\\.0: unexpected `tool_use_id` found in `web_search_tool_result` blocks: srvtoolu_1',
  ],
  [
    'a page without its content',
    talk('go', [searchUse, { ...searchResult, content: [{ type: 'web_search_result', url: 'u', title: 't' }] }]),
    '^messages\\.1\\.content\\.1\\.web_search_tool_result\\.content',
  ],
  [
    'a search of the user’s',
    talk([searchUse]),
    'messages.0: `server_tool_use` blocks can only be in `assistant` messages',
  ],
  ['an empty system text', { system: [text('')] }, 'system: text content blocks must be non-empty'],
  ['a call that nothing follows', talk('go', [call('a')]), notAnswered(1, 'a')],
  ['a call that is not answered', talk('go', [call('a'), call('b')], [result('a')]), notAnswered(1, 'b')],
  [
    'a call that is answered one message too late',
    talk('go', [call('a')], 'wait', 'what?', [result('a')]),
    notAnswered(1, 'a'),
  ],
  ['a result behind a text', talk('go', [call('a')], [text('here'), result('a')]), notAnswered(1, 'a')],
  [
    'a result without a call',
    talk('go', [text('no call')], [result('a')]),
    'messages.2.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
  ],
  [
    'a result before its call',
    talk([result('a')], [call('a')], [result('a')]),
    'messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: a. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
  ],
  [
    'two results for one call',
    talk('go', [call('a')], [result('a'), result('a')]),
    'messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a',
  ],
  [
    'a call id used twice',
    talk('go', [call('a'), call('a')], [result('a')]),
    'messages.1.content.1: `tool_use` ids must be unique',
  ],
  [
    'tool blocks without any tools',
    { ...talk('go', [call('a')], [result('a')]), tools: [] },
    'Requests which include `tool_use` or `tool_result` blocks must define tools',
  ],
  [
    'five cache breakpoints',
    talk([1, 2, 3, 4, 5].map((n) => text(`${n}`, short))),
    'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  ],
  [
    'four cache breakpoints and the automatic one',
    { ...talk([1, 2, 3, 4, 5].map((n) => text(`${n}`, n < 5 ? short : {}))), ...short },
    'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  ],
  [
    'a long lifetime behind a short one',
    { ...talk([text('x', long)]), system: [text('s', short)] },
    "messages.0.content.0.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.",
  ],
  [
    'a mark on thinking',
    talk('go', [{ type: 'thinking', thinking: 'x', signature: 's', ...short }, text('y')], 'on'),
    'messages.1.content.0.thinking.cache_control: Extra inputs are not permitted',
  ],
  [
    'a tool name with a space',
    { tools: [{ ...tool, name: 'Read it' }] },
    "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
  ],
  ['two tools of one name', { tools: [tool, tool] }, 'tools: Tool names must be unique.'],
  ['a tool without a schema', { tools: [{ name: 'Read' }] }, 'tools.0.custom.input_schema: Field required'],
  ['a schema without a type', withSchema({ properties: {} }), 'tools.0.custom.input_schema.type: Field required'],
  [
    'a schema that is not an object’s',
    withSchema({ type: 'string' }),
    "tools.0.custom.input_schema.type: Input should be 'object'",
  ],
  [
    'a choice at the top of a schema',
    withSchema({ type: 'object', anyOf: [{}] }),
    'tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level',
  ],
  ...[
    { properties: { a: { type: 'text' } } },
    { required: 'a' },
    { required: ['a', 'a'] },
    { properties: { a: { type: 'array', items: [{ type: 'string' }] } } },
    { properties: { a: { type: 'number', exclusiveMinimum: true } } },
    { properties: { a: { pattern: '(' } } },
  ].map((part): [string, object, string] => [
    `the invalid schema ${JSON.stringify(part)}`,
    withSchema({ type: 'object', ...part }),
    'tools.0.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12).',
  ]),
  [
    'a property name with a space',
    withSchema({ type: 'object', properties: { 'a b': {} } }),
    "tools.0.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
  ],
  ['a temperature for a model that takes none', { temperature: 0.5 }, '`temperature` is deprecated for this model.'],
  ['top_p for a model that takes none', { top_p: 0.9 }, '`top_p` is deprecated for this model.'],
  ['top_k for a model that takes none', { top_k: 5 }, '`top_k` is deprecated for this model.'],
  [
    'thinking switched off where it cannot be',
    { thinking: { type: 'disabled' } },
    '"thinking.type.disabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
  ],
  [
    'a thinking budget for a new model',
    { thinking: { type: 'enabled', budget_tokens: 2000 }, max_tokens: 4000 },
    '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
  ],
  [
    'adaptive thinking for an old model',
    { model: 'claude-haiku-4-5', thinking: { type: 'adaptive' } },
    '"thinking.type.adaptive" is not supported for this model.',
  ],
  [
    'thinking switched off at the highest effort',
    { model: 'claude-opus-5', thinking: { type: 'disabled' }, output_config: { effort: 'max' } },
    '"thinking.type.disabled" is not supported with effort \'max\' for this model.',
  ],
  [
    'a thinking budget that is too small',
    { model: 'claude-haiku-4-5', thinking: { type: 'enabled', budget_tokens: 100 } },
    'thinking.enabled.budget_tokens: Input should be greater than or equal to 1024',
  ],
  [
    'a thinking budget over max_tokens',
    { model: 'claude-haiku-4-5', thinking: { type: 'enabled', budget_tokens: 2000 } },
    '`max_tokens` must be greater than `thinking.budget_tokens`.',
  ],
  [
    'an effort for a model without',
    { model: 'claude-haiku-4-5', output_config: { effort: 'low' } },
    'This model does not support the effort parameter.',
  ],
  [
    'a forced tool where none can be forced',
    { tools: [tool], tool_choice: { type: 'any' } },
    'tool_choice: `any` is not supported for this model. Use `auto`.',
  ],
  [
    'a forced tool that is not offered',
    { model: 'claude-opus-5', tools: [tool], tool_choice: { type: 'tool', name: 'Write' } },
    "Tool 'Write' not found in provided tools",
  ],
  [
    'more output than the model has',
    { max_tokens: 128_001 },
    'max_tokens: 128001 > 128000, which is the maximum allowed number of output tokens for claude-opus-5-5',
  ],
  [
    'a prompt over the window',
    { model: 'claude-haiku-4-5', ...talk('x'.repeat(800_000)) },
    /^prompt is too long: 200\d\d\d tokens > 200000 maximum$/.source,
  ],
])('%s is refused with 400', async (_, change, message) => {
  await using server = await modelServer();
  const response = await server.post('/v1/messages', { ...hello, ...change });
  const body: unknown = await response.json();
  expect({ status: response.status, body }).toEqual({
    status: 400,
    body: {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: message.startsWith('^') ? expect.stringMatching(message) : message,
      },
      request_id: response.headers.get('request-id'),
    },
  });
});

test.each<[string, object]>([
  [
    'results of parallel calls, and text behind them',
    talk('go', [call('a'), call('b')], [result('b'), result('a'), text('by the way')]),
  ],
  [
    'consecutive messages of one role',
    {
      tools: [tool],
      messages: [
        { role: 'user', content: 'a' },
        { role: 'user', content: 'b' },
        { role: 'assistant', content: [call('x')] },
        { role: 'assistant', content: [call('y')] },
        { role: 'user', content: [result('x')] },
        { role: 'user', content: [result('y')] },
      ],
    },
  ],
  [
    'a system message within the conversation',
    { messages: [...hello.messages, { role: 'system', content: 'be brief' }, ...hello.messages] },
  ],
  [
    'context management and other beta fields',
    {
      context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
      output_config: { effort: 'low' },
      betas: ['x'],
    },
  ],
  [
    'server tools and their blocks',
    {
      tools: [{ type: 'web_search_20260209', name: 'web_search' }],
      messages: [
        ...hello.messages,
        { role: 'assistant', content: [{ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }] },
      ],
    },
  ],
  ['a search with its result, gone on with', talk('go', [searchUse, searchResult, text('found')], 'and?')],
  ['adaptive thinking', { thinking: { type: 'adaptive', display: 'summarized' } }],
  ['a long lifetime before a short one', { ...talk([text('x', short)]), system: [text('s', long)] }],
  ['four breakpoints', talk([1, 2, 3, 4].map((n) => text(`${n}`, short)))],
  ['an empty result', talk('go', [call('a')], [{ type: 'tool_result', tool_use_id: 'a' }])],
  ['a temperature where the model takes one', { model: 'claude-haiku-4-5', temperature: 0.5 }],
  ['another client’s user id', { metadata: { user_id: '{"device":"x"}' } }],
  [
    'nested schemas',
    withSchema({
      type: 'object',
      properties: { a: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/b' }] } },
      $defs: { b: true },
      additionalProperties: false,
    }),
  ],
])('%s are accepted', async (_, change) => {
  await using server = await modelServer();
  const response = await server.post(
    '/v1/messages?beta=true',
    { ...hello, ...change },
    { 'x-api-key': 'k', 'anthropic-beta': 'a,b' },
  );
  expect(await response.json()).toMatchObject({ type: 'message' });
});

test('a request without a key is refused with 401, unless the server asks for none', async () => {
  await using server = await modelServer();
  const refused = await server.post('/v1/messages', hello, {});
  expect([refused.status, await refused.json()]).toMatchObject([
    401,
    { error: { type: 'authentication_error', message: 'x-api-key header is required' } },
  ]);
  expect((await server.post('/v1/messages', hello, { authorization: 'Bearer t' })).status).toBe(200);
  await using open = await modelServer({ requireKey: false });
  expect((await open.post('/v1/messages', hello, {})).status).toBe(200);
});

test('a request without the version of the API is refused with 400', async () => {
  await using server = await modelServer();
  const refused = await fetch(`${server.url}/v1/messages`, {
    method: 'POST',
    body: JSON.stringify(hello),
    headers: { 'x-api-key': 'k' },
  });
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    { error: { type: 'invalid_request_error', message: 'anthropic-version: header is required' } },
  ]);
});

test('a model that does not exist is 404, and so is an alias of ours', async () => {
  await using server = await modelServer();
  for (const model of ['claude-opus-9', 'sonnet']) {
    const refused = await server.post('/v1/messages', { ...hello, model });
    expect([refused.status, await refused.json()]).toMatchObject([
      404,
      { error: { type: 'not_found_error', message: `model: ${model}` } },
    ]);
  }
});

test('a body over 32 MB is 413, one that is not JSON is 400, an unknown path 404', async () => {
  await using server = await modelServer();
  const large = await server.post('/v1/messages', 'x'.repeat(32 * 1024 * 1024 + 1));
  expect([large.status, await large.json()]).toMatchObject([413, { error: { type: 'request_too_large' } }]);
  const broken = await server.post('/v1/messages', '{"model":');
  expect([broken.status, await broken.json()]).toMatchObject([
    400,
    { error: { message: 'The request body is not valid JSON.' } },
  ]);
  expect((await server.post('/v1/complete', hello)).status).toBe(404);
});
