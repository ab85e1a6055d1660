import { expect, test } from 'vitest';
import { createSearchPort } from '../../src/app/tools/searchPort.js';
import { systemClock } from '../../src/host/clock.js';
import { systemIds } from '../../src/host/ids.js';
import { createAnthropicClient } from '../../src/model/anthropic.js';
import { useModels } from '../../src/model/catalogue.js';
import type { Usage } from '../../src/model/types.js';
import { createWebSearchTool } from '../../src/tools/webSearch.js';
import { modelServer } from '../modelServer/helpers.js';
import { textOf, toolContext } from '../tools/context.js';

const ON = { TROUPE_WEB_SEARCH: '1', ANTHROPIC_API_KEY: 'k' };

/** A member whose service searches as the script says; what was spent. */
async function searching(rules: string, environment: Record<string, string> = ON) {
  const server = await modelServer({ script: `agents: {'bob/*': ${rules}}` });
  const spent: { usage: Usage; costUsd: number }[] = [];
  const client = createAnthropicClient({ clock: systemClock, ids: systemIds, baseURL: server.url, env: environment });
  const userId = 'troupe:red:bob';
  const search = createSearchPort({
    client,
    userId,
    environment,
    spent: async ({ usage, costUsd }) => void spent.push({ usage, costUsd }),
  });
  if (!search) throw new Error('there is no search');
  const tool = createWebSearchTool(search);
  const ask = (input: object = {}, signal = new AbortController().signal) =>
    textOf(tool, { query: 'tmux 3.5', ...input }, toolContext('/', { signal })).catch((error: Error) => error.message);
  const bodies = () => server.log().map(({ body }) => body as Record<string, unknown>);
  return { server, tool, ask, spent, bodies, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const NEWS = "{ title: 'News [3.5]', url: 'https://tmux.example/news', age: 2 days ago }";
const WIKI = '{ title: Wiki, url: "https://wiki.example/tmux" }';

test('WebSearch: the service searches, and the answer comes with each page once', async () => {
  await using here = await searching(
    `[{ reply: [{ text: I look. }, { search: tmux 3.5, found: [${NEWS}, ${WIKI}] }, { search: tmux, found: [${WIKI}] }, { text: 'It came out ' }, { text: in 2024. }] }]`,
  );
  expect(await here.ask({ allowed_domains: ['tmux.example', 'wiki.example/tmux'] })).toBe(
    'It came out in 2024.\n\nSources:\n- [News \\[3.5\\]](https://tmux.example/news) (2 days ago)\n- [Wiki](https://wiki.example/tmux)',
  );
  expect(here.bodies()).toMatchObject([
    {
      model: 'claude-haiku-5-5',
      tools: [
        {
          type: 'web_search_20250305',
          name: 'web_search',
          max_uses: 8,
          allowed_domains: ['tmux.example', 'wiki.example/tmux'],
        },
      ],
      metadata: { user_id: 'troupe:red:bob/websearch' },
    },
  ]);
});

test('WebSearch: a cent a search is counted beside the tokens', async () => {
  await using here = await searching(`[{ reply: [{ search: a, found: [${WIKI}] }, { search: b }, { text: x }] }]`);
  await here.ask();
  expect(here.spent).toMatchObject([{ usage: { webSearches: 2 } }]);
  expect(here.spent[0]?.costUsd).toBeGreaterThan(0.02);
  expect(here.spent[0]?.costUsd).toBeLessThan(0.021);
});

test('WebSearch: a paused answer is sent back and gone on with, its pages kept', async () => {
  await using here = await searching(
    `[{ when: { turn: 1 }, reply: [{ search: a, found: [${NEWS}] }], stop: pause_turn }, { reply: [{ search: b, found: [${WIKI}] }, { text: Both. }] }]`,
  );
  expect(await here.ask()).toBe(
    'Both.\n\nSources:\n- [News \\[3.5\\]](https://tmux.example/news) (2 days ago)\n- [Wiki](https://wiki.example/tmux)',
  );
  expect(here.spent).toHaveLength(2);
  expect(here.bodies()[1]).toMatchObject({
    messages: [
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'server_tool_use' }, { type: 'web_search_tool_result' }] },
    ],
  });
});

test('WebSearch: an answer that is paused for ever ends', async () => {
  await using here = await searching(`[{ reply: [{ search: a, found: [${WIKI}] }], stop: pause_turn }]`);
  expect(await here.ask()).toBe('Pages found for "tmux 3.5":\n\nSources:\n- [Wiki](https://wiki.example/tmux)');
  expect(here.bodies()).toHaveLength(6);
});

test.each([
  ['fails', '[{ search: a, found: too_many_requests }]', /^The search for "tmux 3.5" failed: the service searches too/],
  [
    'fails in part',
    `[{ search: a, found: unavailable }, { search: b, found: [${WIKI}] }, { text: x }]`,
    /\(1 of the searches failed: the search is not available/,
  ],
  ['finds nothing', '[{ search: a }, { text: Nothing there. }]', /^Nothing there\.\n\nNo page was found\.$/],
  ['is not made', '[{ text: I know that. }]', /^Nothing was searched; .*\n\nI know that\.$/],
])('WebSearch: tells when a search %s', async (_, reply, said) => {
  await using here = await searching(`[{ reply: ${reply} }]`);
  expect(await here.ask()).toMatch(said);
});

test('WebSearch: a service that refuses the tool is told, with the way to take it away', async () => {
  await using here = await searching(`[{ fault: { status: 400, message: web search is not enabled }, reply: x }]`);
  expect(await here.ask()).toMatch(
    /^The model's service did not search: .*web search is not enabled.*If it has no web search, TROUPE_WEB_SEARCH=0 takes this tool away\.$/,
  );
});

test('WebSearch: ends at 200 searches of a session', async () => {
  const eight = Array.from({ length: 8 }, (_, index) => `{ search: 's${index}' }`).join(', ');
  await using here = await searching(`[{ reply: [${eight}, { text: x }] }]`);
  for (let call = 0; call < 25; call++) expect(await here.ask()).toMatch(/^x/);
  expect(await here.ask()).toBe('200 searches were made in this session, as many as there may be. Go on without.');
});

test('WebSearch: a cancelled search ends at once', async () => {
  await using here = await searching('[{ fault: { stream: silent }, reply: x }]');
  const abort = new AbortController();
  const asked = here.ask({}, abort.signal);
  abort.abort(new Error('stop'));
  expect(await asked).toBe('stop');
});

test('WebSearch: takes domains without a scheme, allowed or blocked, and asks by its name alone', async () => {
  await using here = await searching('[{ reply: [{ search: a }] }]');
  const prepare = (input: object) => here.tool.prepare({ query: 'abc', ...input }, toolContext('/')).access;
  expect(prepare({ blocked_domains: ['example.com'] })).toEqual({ kind: 'other' });
  expect(() => prepare({ blocked_domains: ['a.com'], allowed_domains: ['b.com'] })).toThrow(/not both/);
  expect(() => prepare({ allowed_domains: ['https://a.com'] })).toThrow(
    '"https://a.com" is no domain. Give one like example.com or example.com/docs.',
  );
  expect(() => prepare({ query: 'a' })).toThrow(/query: Too small/);
});

test('WebSearch is there where the service has it: the public one, or where the variable says so', () => {
  const isThere = (environment: Record<string, string>) => {
    const client = createAnthropicClient({ clock: systemClock, ids: systemIds });
    return createSearchPort({ client, userId: '', environment, spent: async () => {} }) !== undefined;
  };
  expect(isThere({})).toBe(true);
  expect(isThere({ ANTHROPIC_BASE_URL: 'https://api.anthropic.com/' })).toBe(true);
  expect(isThere({ ANTHROPIC_BASE_URL: 'https://gateway.example' })).toBe(false);
  expect(isThere({ ANTHROPIC_BASE_URL: 'https://gateway.example', TROUPE_WEB_SEARCH: '1' })).toBe(true);
  expect(isThere({ TROUPE_WEB_SEARCH: '0' })).toBe(false);
  expect(() => isThere({ TROUPE_WEB_SEARCH: 'yes' })).toThrow('TROUPE_WEB_SEARCH is "yes": it must be 1');
});

test('WebSearch is not there where the small model cannot search', async () => {
  const { CATALOGUE } = await import('../../src/model/catalogue.js');
  useModels(CATALOGUE.map((model) => ({ ...model, searchesWeb: false })));
  try {
    const client = createAnthropicClient({ clock: systemClock, ids: systemIds });
    expect(createSearchPort({ client, userId: '', environment: ON, spent: async () => {} })).toBeUndefined();
  } finally {
    useModels(CATALOGUE);
  }
});
