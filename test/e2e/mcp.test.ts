import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { markedProcesses } from '../../src/host/children.js';
import { addTemplate, heardBy, runJson } from '../helpers/headless.js';
import { mcpJson, oddServer, realServer } from '../helpers/mcp.js';
import { type Stage, stage } from '../helpers/program.js';
import { requestsOf, resultsOf } from '../helpers/requests.js';

const ODD = mcpJson({ odd: oddServer() });
const ALLOWED = ['--allowed-tools', 'mcp__odd'];

/** Each of these agents calls the server once, and says what it was answered. */
const everybody = (names: readonly string[], tool = 'mcp__odd__echo') => `
agents:
${names
  .map(
    (name) => `  '${name}':
    - when: { turn: 1 }
      reply: [{ tool: ${tool}, input: { text: I am here } }]
    - reply: Done.
`,
  )
  .join('')}`;

const sentTo = (team: Pick<Stage, 'server'>, agent: string, request = 0) =>
  requestsOf(team, agent)[request]?.tools.map(({ name }) => name) ?? [];

async function addAgent({ env }: Pick<Stage, 'env'>, name: string, more: string): Promise<void> {
  const folder = join(env['HOME'] ?? '', '.claude', 'agents');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.md`), `---\nname: ${name}\ndescription: x\n${more}\n---\nDo it.\n`);
}

const leftOf = async ({ home }: Stage) =>
  (await readdir(join(home, 'archive')).catch(() => [])).map((entry) => entry.replace(/-\d.*/, ''));

test.concurrent('a lead calls a real server of --mcp-config, and nothing of it is left', async () => {
  await using team = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: mcp__everything__get-sum, input: { a: 40, b: 2 } }]
    - reply: Done.
`);
  const config = join(team.folder, 'servers.json');
  await writeFile(config, mcpJson({ everything: realServer('everything') }));
  const { exitCode, stderr } = await runJson(
    team,
    ...['Go.', '--name', 'red', '--mcp-config', config, '--allowed-tools', 'mcp__everything__get-sum'],
  );
  expect(exitCode, stderr).toBe(0);
  expect(resultsOf(team, 'team-lead')).toEqual([expect.stringContaining('42')]);
  expect(await markedProcesses({ member: 'team-lead@red', home: team.home })).toEqual([]);
  expect(await leftOf(team)).toEqual(['red']);
});

const TWO = `---
name: two
description: x
members:
  - { name: bob, prompt: Go. }
  - { name: eve, agent: careful, prompt: Go. }
---
Go.
`;

test.concurrent.each(['in-process', 'tmux'])(
  'every kind of agent has the servers of the session (%s)',
  async (backend) => {
    await using team = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply:
        - { tool: Agent, input: { description: x, prompt: Go., subagent_type: careful } }
        - { tool: Agent, input: { description: x, prompt: Behind., run_in_background: true } }
        - { tool: mcp__odd__echo, input: { text: I am here } }
    - reply: Done.
${everybody(['team-lead/*', 'bob', 'eve']).replace('\nagents:\n', '')}`);
    await addTemplate(team, 'two', TWO);
    await addAgent(team, 'careful', 'tools: Read, mcp__odd__*');
    const { exitCode, stderr } = await runJson(team, 'two', '--backend', backend, '--mcp-config', ODD, ...ALLOWED);
    expect(exitCode, stderr).toBe(0);
    const answers = ['team-lead', 'team-lead/', 'bob', 'eve'].map((agent) =>
      resultsOf(team, agent).includes('I am here'),
    );
    expect(answers).toEqual([true, true, true, true]);
    expect(sentTo(team, 'eve')).toEqual(expect.arrayContaining(['Read', 'SendMessage', 'mcp__odd__echo']));
    expect(sentTo(team, 'eve')).not.toContain('Bash');
    for (const member of ['team-lead', 'bob', 'eve'])
      expect(await markedProcesses({ member: `${member}@two`, home: team.home })).toEqual([]);
  },
);

test.concurrent('without a rule a call is asked for, which is a denial where nobody is asked; a deny rule for the server holds', async () => {
  await using team = await stage(everybody(['team-lead']));
  const { result } = await runJson(team, 'Go.', '--mcp-config', ODD);
  expect(result.permission_denials).toMatchObject([{ tool_name: 'mcp__odd__echo' }]);
  const denied = await runJson(
    team,
    ...['Go.', '--mcp-config', ODD, '--permission-mode', 'bypassPermissions', '--disallowed-tools', 'mcp__odd__*'],
  );
  expect(denied.result.permission_denials).toMatchObject([{ tool_name: 'mcp__odd__echo' }]);
});

test.concurrent('in plan mode only those run that a rule allows and that say that they only read', async () => {
  await using team = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: mcp__odd__echo, input: { text: x } }, { tool: mcp__odd__looks, input: {} }]
    - reply: Done.
`);
  const config = mcpJson({ odd: oddServer('odd') });
  const plan = ['Go.', '--mcp-config', config, '--permission-mode', 'plan'];
  await runJson(team, ...plan, ...ALLOWED);
  expect(resultsOf(team, 'team-lead')).toEqual([expect.stringMatching(/Plan mode is on/), 'looks was called']);
  await runJson(team, ...plan);
  expect(resultsOf(team, 'team-lead')).toEqual([
    expect.stringMatching(/Plan mode is on/),
    expect.stringMatching(/Plan mode is on/),
  ]);
});

test.concurrent('a server of .mcp.json counts once the folder is trusted, unless a setting disables it', async () => {
  await using team = await stage('agents: { team-lead: [{ reply: Done. }] }');
  await writeFile(join(team.folder, '.mcp.json'), mcpJson({ odd: oddServer(), other: oddServer() }));
  const { stderr } = await runJson(team, 'Go.');
  expect(stderr).toContain(`${team.folder}/.mcp.json: its MCP servers do not count until the folder is trusted`);
  expect(sentTo(team, 'team-lead').filter((name) => name.startsWith('mcp__'))).toEqual([]);
  await mkdir(join(team.folder, '.claude'));
  await writeFile(join(team.folder, '.claude', 'settings.json'), '{"disabledMcpjsonServers": ["other"]}');
  await runJson(team, 'Go.', '--trust');
  const sent = requestsOf(team, 'team-lead')
    .at(-1)
    ?.tools.map(({ name }) => name);
  expect(sent?.filter((name) => name.startsWith('mcp__'))).toEqual(['mcp__odd__echo']);
});

test.concurrent('an agent that brings a server along has it, its parent does not, and it is gone with the agent', async () => {
  await using team = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: Agent, input: { description: x, prompt: Go., subagent_type: keeper } }]
    - when: { turn: 2 }
      reply: [{ tool: mcp__own__echo, input: { text: x } }]
    - reply: Done.
${everybody(['team-lead/*'], 'mcp__own__echo').replace('\nagents:\n', '')}`);
  const pids = join(team.folder, 'pids');
  await addAgent(team, 'keeper', `tools: Read\nmcpServers: ${JSON.stringify([{ own: oddServer(`pidfile=${pids}`) }])}`);
  const { exitCode, stderr } = await runJson(team, 'Go.', '--trust', '--allowed-tools', 'mcp__own');
  expect(exitCode, stderr).toBe(0);
  expect(resultsOf(team, 'team-lead/')).toEqual(['I am here']);
  expect(sentTo(team, 'team-lead/').sort()).toEqual(['Read', 'mcp__own__echo']);
  expect(sentTo(team, 'team-lead', 1)).not.toContain('mcp__own__echo');
  expect(resultsOf(team, 'team-lead').at(-1)).toMatch(/There is no tool "mcp__own__echo"/);
  expect((await readFile(pids, 'utf8')).trim().split('\n')).toHaveLength(1);
});

test.concurrent('without trust an agent of a user brings no server along', async () => {
  await using team = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: Agent, input: { description: x, prompt: Go., subagent_type: keeper } }]
    - reply: Done.
  'team-lead/*': [{ reply: Done. }]
`);
  await addAgent(team, 'keeper', `mcpServers: ${JSON.stringify([{ own: oddServer() }])}`);
  await runJson(team, 'Go.');
  expect(sentTo(team, 'team-lead/')).not.toContain('mcp__own__echo');
});

test.concurrent('a teammate has the servers of its definition for itself alone', async () => {
  await using team = await stage(everybody(['bob', 'team-lead'], 'mcp__own__echo'));
  await addAgent(team, 'keeper', `mcpServers: ${JSON.stringify([{ own: oddServer() }])}`);
  await addTemplate(
    team,
    'one',
    '---\nname: one\ndescription: x\nmembers: [{ name: bob, agent: keeper, prompt: Go. }]\n---\nGo.\n',
  );
  await runJson(team, 'one', '--trust', '--allowed-tools', 'mcp__own');
  expect(resultsOf(team, 'bob')).toEqual(['I am here']);
  expect(resultsOf(team, 'team-lead')).toEqual([expect.stringMatching(/There is no tool/)]);
});

test.concurrent('an agent that needs a server is not shown where there is none, and a call names what is missing', async () => {
  await using team = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: Agent, input: { description: x, prompt: Go., subagent_type: needy } }]
    - reply: Done.
  'team-lead/*': [{ reply: I have it. }]
`);
  await addAgent(team, 'needy', 'requiredMcpServers: ODD');
  await runJson(team, 'Go.');
  expect(heardBy(team, 'team-lead')[0]).not.toContain('- needy:');
  expect(resultsOf(team, 'team-lead')).toEqual(['The agent "needy" needs MCP servers that are not connected: ODD.']);
  await runJson(team, 'Go.', '--mcp-config', mcpJson({ 'my-odd': oddServer() }));
  expect(heardBy(team, 'team-lead').at(-1)).toContain('- needy:');
  expect(resultsOf(team, 'team-lead').at(-1)).toContain('I have it.');
});

test.concurrent('a slow server is waited for; one that hangs is not, and both the person and the model are told', async () => {
  await using team = await stage(everybody(['team-lead'], 'mcp__slow__echo'));
  team.env['MCP_TIMEOUT'] = '8000';
  const config = mcpJson({ slow: oddServer('start=1000'), hangs: oddServer('start=never'), ends: oddServer('exit=7') });
  const { stderr, exitCode } = await runJson(team, 'Go.', '--mcp-config', config, '--allowed-tools', 'mcp__slow');
  expect(exitCode).toBe(0);
  expect(resultsOf(team, 'team-lead')).toEqual(['I am here']);
  const [first] = heardBy(team, 'team-lead');
  expect(first).toContain('- hangs: still connecting; its tools come later');
  expect(first).toMatch(/- ends: it ended at once \(exit code 7\)\. .*the disk is full/);
  expect(stderr).toMatch(/The MCP server "ends" cannot be used: it ended at once/);
  expect(stderr).toContain('The MCP server "hangs" has not answered within 8 s; the work begins without it.');
});

test.concurrent('with more than 40 tools those of servers are found by search, and what was sent before stays as it was', async () => {
  await using team = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: mcp__odd__tool_44, input: {} }]
    - when: { turn: 2 }
      reply: [{ tool: ToolSearch, input: { query: 'sheep of meadow 44', max_results: 1 } }]
    - when: { turn: 3 }
      reply: [{ tool: ToolSearch, input: { query: 'select:mcp__odd__tool_3' } }]
    - when: { turn: 4 }
      reply: [{ tool: mcp__odd__tool_44, input: {} }, { tool: mcp__odd__tool_3, input: {} }]
    - reply: Done.
`);
  const { exitCode, stderr } = await runJson(
    team,
    'Go.',
    '--mcp-config',
    mcpJson({ odd: oddServer('tools=45') }),
    ...ALLOWED,
  );
  expect(exitCode, stderr).toBe(0);
  expect(resultsOf(team, 'team-lead')).toEqual([
    expect.stringContaining('mcp__odd__tool_44 is not loaded'),
    expect.stringMatching(/^Loaded.*tool_44/s),
    expect.stringMatching(/^Loaded.*tool_3/s),
    'tool_44 was called',
    'tool_3 was called',
  ]);
  const lists = requestsOf(team, 'team-lead').map(({ tools }) => tools.map((tool) => JSON.stringify(tool)));
  const [first = [], , third = [], fourth = []] = lists;
  expect(first.join()).not.toContain('mcp__odd__tool');
  expect(third.slice(0, first.length)).toEqual(first);
  expect(fourth.slice(0, third.length)).toEqual(third);
  expect(sentTo(team, 'team-lead', 3).slice(-2)).toEqual(['mcp__odd__tool_44', 'mcp__odd__tool_3']);
  expect(heardBy(team, 'team-lead')[0]).toContain('Tools that ToolSearch loads: mcp__odd__echo, mcp__odd__tool_1,');
});

test.concurrent('a sub-agent is told what it can load, and loads for itself alone; a fork has what was loaded before it', async () => {
  await using team = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: ToolSearch, input: { query: 'select:mcp__odd__tool_1' } }]
    - when: { turn: 2 }
      reply:
        - { tool: Agent, input: { description: x, prompt: Go., subagent_type: fork } }
        - { tool: Agent, input: { description: x, prompt: Afresh., subagent_type: general-purpose } }
    - reply: Done.
  'team-lead/*':
    - when: { turn: 1, user: 'Afresh' }
      reply: [{ tool: ToolSearch, input: { query: 'select:mcp__odd__tool_9' } }]
    - when: { tool: ToolSearch }
      reply: [{ tool: mcp__odd__tool_9, input: {} }]
    - reply: Done.
`);
  const config = mcpJson({ odd: oddServer('tools=45') });
  const { exitCode, stderr } = await runJson(team, 'Go.', '--mcp-config', config, ...ALLOWED);
  expect(exitCode, stderr).toBe(0);
  const all = requestsOf(team, 'team-lead/');
  const isFresh = ({ messages }: (typeof all)[number]) =>
    messages.length > 0 && !JSON.stringify(messages).includes('fork-directive');
  const [forked] = all.filter((request) => !isFresh(request));
  const fresh = all.filter(isFresh);
  const bytes = (tools: readonly unknown[] = []) => JSON.stringify(tools);
  expect(bytes(forked?.tools)).toBe(bytes(requestsOf(team, 'team-lead')[1]?.tools));
  expect(bytes(forked?.tools)).toContain('mcp__odd__tool_1"');
  expect(bytes(fresh[0]?.tools)).not.toContain('mcp__odd__tool_');
  expect(JSON.stringify(fresh[0]?.messages)).toContain('Tools that ToolSearch loads: mcp__odd__echo');
  expect(fresh[1]?.tools.map(({ name }) => name).filter((name) => name.startsWith('mcp__'))).toEqual([
    'mcp__odd__tool_9',
  ]);
  expect(JSON.stringify(fresh.at(-1)?.messages)).toContain('tool_9 was called');
});

test.concurrent('variables are filled in; one that is not set leaves its server out with a line, and no secret is on disk', async () => {
  await using team = await stage(everybody(['team-lead']));
  team.env['ODD_SECRET'] = 's3cret-value';
  const servers = {
    odd: { ...oddServer('env=TOKEN'), env: { TOKEN: '${ODD_SECRET}', MODE: '${NOT_SET:-plain}' } },
    other: { ...oddServer(), env: { TOKEN: '${NOWHERE_SET}' } },
  };
  const { stderr } = await runJson(team, 'Go.', '--mcp-config', mcpJson(servers), ...ALLOWED);
  expect(stderr).toContain('--mcp-config: the MCP server "other" is left out, for NOWHERE_SET is not set.');
  expect(resultsOf(team, 'team-lead')).toEqual(['s3cret-value']);
  const files = await readdir(team.home, { recursive: true, withFileTypes: true });
  const holding = [];
  for (const file of files.filter((entry) => entry.isFile())) {
    const path = join(file.parentPath, file.name);
    if ((await readFile(path, 'utf8')).includes('s3cret-value')) holding.push(file.name);
  }
  // What the server itself has answered is part of the conversation.
  expect(holding.filter((name) => name !== 'transcript.jsonl')).toEqual([]);
});

test.concurrent('a server is not given what opens the model’s service', async () => {
  await using team = await stage(everybody(['team-lead']));
  await runJson(team, 'Go.', '--mcp-config', mcpJson({ odd: oddServer('env=ANTHROPIC_API_KEY') }), ...ALLOWED);
  expect(resultsOf(team, 'team-lead')).toEqual(['undefined']);
});

test.concurrent.each([
  ['{"mcpServers": {"a": {"comand": "x"}}}', /--mcp-config: "mcpServers\.a\.url" must be text|comand/],
  [
    '{"mcpServers": {"a": {"command": "x", "argz": []}}}',
    /--mcp-config: "mcpServers\.a\.argz" is no key of a server of type stdio/,
  ],
  ['{"servers": {}}', /--mcp-config cannot be used: it must have "mcpServers"/],
  ['/nowhere.json', /--mcp-config cannot be used: ENOENT/],
])('--mcp-config %s is refused', async (given, words) => {
  await using team = await stage('agents: {}');
  const { exitCode, stderr } = await team.troupe(['run', 'Go.', '--mcp-config', given]);
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: expect.stringMatching(words) });
});

test.concurrent('a long result goes to a file, which the agent can read', async () => {
  await using team = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: mcp__odd__echo, input: { text: "${'many words '.repeat(60)}" } }]
    - when: { turn: 2 }
      capture: { file: { from: result, match: 'All of it is in (\\S+)' } }
      reply: [{ tool: Read, input: { file_path: '{{file}}' } }]
    - reply: Done.
`);
  team.env['MAX_MCP_OUTPUT_TOKENS'] = '20';
  await runJson(team, 'Go.', '--mcp-config', ODD, ...ALLOWED);
  const [short, whole] = resultsOf(team, 'team-lead');
  expect(String(short).length).toBeLessThan(400);
  expect(whole).toMatch(/1\s+(many words ){60}/);
});

test.concurrent('names and schemas that the API would refuse are mended, or their tools are left out with a line', async () => {
  await using team = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: mcp__odd__no_type, input: {} }, { tool: mcp__odd__echo, input: { text: x } }]
    - reply: Done.
`);
  const { exitCode, stderr } = await runJson(
    team,
    'Go.',
    '--mcp-config',
    mcpJson({ odd: oddServer('odd') }),
    ...ALLOWED,
  );
  expect(exitCode, stderr).toBe(0);
  expect(stderr).toContain(
    'The tool "no_type" of the MCP server "odd" is left out: another one is called mcp__odd__no_type already.',
  );
  expect(stderr).toContain(
    'The tool "refused" of the MCP server "odd" is left out: input_schema.properties: Property keys should match',
  );
  const names = sentTo(team, 'team-lead').filter((name) => name.startsWith('mcp__'));
  expect(names).toEqual([
    'mcp__odd__echo',
    expect.stringMatching(/^mcp__odd__long_x+_[0-9a-f]{8}$/),
    'mcp__odd__looks',
    'mcp__odd__no_type',
  ]);
  expect(Math.max(...names.map(({ length }) => length))).toBe(64);
});
