import { expect, test } from 'vitest';
import { runJson } from '../helpers/headless.js';
import { stage } from '../helpers/program.js';
import { requestsOf, resultsOf } from '../helpers/requests.js';

const SCRIPT = `
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: WebSearch, input: { query: tmux news, blocked_domains: [spam.example] } }]
    - reply: Done.
  'team-lead/*':
    - when: { turn: 1 }
      reply: [{ search: tmux news, found: [{ title: News, url: 'https://tmux.example/' }] }]
      stop: pause_turn
    - reply: It has news.
`;

test('WebSearch goes by rule, its sources reach the model, and what it cost is in the result', async () => {
  await using team = await stage(SCRIPT);
  team.env['TROUPE_WEB_SEARCH'] = '1';
  const { result } = await runJson(team, 'Look.', '--allowed-tools', 'WebSearch');
  expect(result).toMatchObject({ subtype: 'success', permission_denials: [] });
  expect(resultsOf(team, 'team-lead')).toEqual(['It has news.\n\nSources:\n- [News](https://tmux.example/)']);
  expect(requestsOf(team, 'team-lead/websearch').map(({ tools }) => tools)).toMatchObject([
    [{ type: 'web_search_20250305', blocked_domains: ['spam.example'] }],
    [{ type: 'web_search_20250305', blocked_domains: ['spam.example'] }],
  ]);
  const [, searching] = Object.entries(result.modelUsage).find(([model]) => model.includes('haiku')) ?? [];
  expect(searching).toMatchObject({ webSearchRequests: 1 });
  expect(searching?.costUSD).toBeGreaterThan(0.01);
});

test('WebSearch needs permission, can be denied by rule, and is not there where the service has none', async () => {
  await using team = await stage(SCRIPT);
  team.env['TROUPE_WEB_SEARCH'] = '1';
  const asked = await runJson(team, 'Look.');
  expect(asked.result.permission_denials).toMatchObject([{ tool_name: 'WebSearch' }]);
  const denied = await runJson(
    team,
    'Look.',
    '--permission-mode',
    'bypassPermissions',
    '--disallowed-tools',
    'WebSearch',
  );
  expect(denied.result.subtype).toBe('success');
  expect(requestsOf(team, 'team-lead/websearch')).toEqual([]);
  delete team.env['TROUPE_WEB_SEARCH'];
  await runJson(team, 'Look.', '--permission-mode', 'bypassPermissions');
  expect(resultsOf(team, 'team-lead')).toEqual([expect.stringMatching(/^There is no tool "WebSearch"\. Did you mean/)]);
});
