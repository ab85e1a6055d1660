import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addTemplate, linesOf, runJson } from '../helpers/headless.js';
import { mcpJson, oddServer, realServer } from '../helpers/mcp.js';
import { type Stage, stage } from '../helpers/program.js';
import { requestsOf, resultsOf } from '../helpers/requests.js';

async function addAgent({ env }: Pick<Stage, 'env'>, name: string, more: string): Promise<void> {
  const folder = join(env['HOME'] ?? '', '.claude', 'agents');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.md`), `---\nname: ${name}\ndescription: x\n${more}\n---\nDo it.\n`);
}

const texts = (team: Stage, agent: string) => resultsOf(team, agent).map((content) => JSON.stringify(content));
const EVERYTHING = mcpJson({ everything: realServer('everything'), odd: oddServer() });

test('a deny rule for a server keeps its resources too from being listed and read, in every mode', async () => {
  await using team = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply:
        - { tool: ListMcpResources, input: {} }
        - { tool: ListMcpResources, input: { server: everything } }
        - { tool: ReadMcpResource, input: { server: everything, uri: 'demo://resource/static/document/features.md' } }
    - reply: Done.
`);
  const flags = ['Go.', '--mcp-config', EVERYTHING, '--permission-mode', 'bypassPermissions'];
  const free = await runJson(team, ...flags);
  expect(free.result.permission_denials).toEqual([]);
  expect(texts(team, 'team-lead')).toEqual([
    expect.stringMatching(/everything:\\n- demo:.*odd: no resources/),
    expect.stringContaining('features.md'),
    expect.stringContaining('Everything'),
  ]);
  const { result } = await runJson(team, ...flags, '--disallowed-tools', 'mcp__everything');
  expect(result.permission_denials.map(({ tool_name }) => tool_name)).toEqual(['ListMcpResources', 'ReadMcpResource']);
  const refused = expect.stringContaining('The permission rule mcp__everything refuses this call');
  expect(texts(team, 'team-lead')).toEqual(['"odd: no resources"', refused, refused]);
});

test('an agent reads the resources of the server that it brings along, and of those that it shares; its parent has not its own', async () => {
  const calls = (...servers: string[]) =>
    servers.map((server) => `{ tool: ListMcpResources, input: { server: ${server} } }`).join(', ');
  await using team = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: Agent, input: { description: x, prompt: Go., subagent_type: keeper } }]
    - when: { turn: 2 }
      reply: [${calls('own')}]
    - reply: Done.
  'team-lead/*':
    - when: { turn: 1 }
      reply: [${calls('own', 'odd')}]
    - reply: Done.
`);
  await addAgent(team, 'keeper', `mcpServers: ${JSON.stringify([{ own: realServer('everything') }])}`);
  const { exitCode, stderr } = await runJson(team, 'Go.', '--trust', '--mcp-config', mcpJson({ odd: oddServer() }));
  expect(exitCode, stderr).toBe(0);
  expect(texts(team, 'team-lead/')).toEqual([expect.stringMatching(/own:\\n- demo:/), '"odd: no resources"']);
  expect(texts(team, 'team-lead').at(-1)).toContain('There is no MCP server');
});

test('a tool that a server has only later can be called in the next turn, and what was sent before keeps its place', async () => {
  await using team = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: mcp__odd__echo, input: { text: grow } }]
    - when: { turn: 2 }
      reply: [{ tool: Agent, input: { description: x, prompt: Wait., run_in_background: true } }]
    - when: { user: 'task-notification' }
      reply: [{ tool: mcp__odd__grown_1, input: {} }]
    - reply: Done.
  'team-lead/*': [{ reply: Waited. }]
`);
  const grows = mcpJson({ odd: oddServer('grow') });
  const { exitCode, stderr } = await runJson(team, 'Go.', '--mcp-config', grows, '--allowed-tools', 'mcp__odd');
  expect(exitCode, stderr).toBe(0);
  expect(resultsOf(team, 'team-lead').at(-1)).toBe('grown_1 was called');
  const lists = requestsOf(team, 'team-lead').map(({ tools }) => tools.map(({ name }) => name));
  expect(lists[0]).not.toContain('mcp__odd__grown_1');
  expect(lists.at(-1)?.slice(0, lists[0]?.length)).toEqual(lists[0]);
  expect(lists.at(-1)).toContain('mcp__odd__grown_1');
});

test('the first line of stream-json names each server with how it stands, and its tools', async () => {
  await using team = await stage('agents: { team-lead: [{ reply: Done. }] }');
  const config = mcpJson({ odd: oddServer(), ends: oddServer('exit=7') });
  const ended = await team.troupe(['run', 'Go.', '--output-format', 'stream-json', '--mcp-config', config]);
  const [first, ...others] = linesOf(ended);
  expect(first).toMatchObject({
    ...{ type: 'system', subtype: 'init' },
    mcp_servers: [
      { name: 'odd', status: 'connected' },
      { name: 'ends', status: 'failed' },
    ],
    tools: expect.arrayContaining(['Bash', 'mcp__odd__echo']),
  });
  expect(others.filter(({ subtype }) => subtype === 'init')).toEqual([]);
});

const ONE = '---\nname: one\ndescription: x\nmembers: [{ name: bob, agent: needy, prompt: Go. }]\n---\nGo.\n';

test('a teammate whose definition needs a server that there is not is refused before anything starts', async () => {
  await using team = await stage('agents: { "*": [{ reply: Done. }] }');
  await addAgent(team, 'needy', 'requiredMcpServers: [odd]');
  await addTemplate(team, 'one', ONE);
  const refused = await team.troupe(['run', 'one']);
  expect({ exitCode: refused.exitCode, stderr: refused.stderr }).toEqual({
    exitCode: 2,
    stderr: expect.stringContaining('The agent "needy" needs MCP servers that there are not: odd. There are: none.'),
  });
  expect(requestsOf(team, 'team-lead')).toEqual([]);
  const { exitCode, stderr } = await runJson(team, 'one', '--mcp-config', mcpJson({ 'my-Odd': oddServer() }));
  expect(exitCode, stderr).toBe(0);
});

test('a lead that asks for such a teammate is told what is missing, and nobody is there', async () => {
  await using team = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: Agent, input: { description: x, prompt: Go., subagent_type: needy, name: bob } }]
    - reply: Done.
`);
  await addAgent(team, 'needy', 'requiredMcpServers: [odd]');
  const { result } = await runJson(team, 'Go.');
  expect(resultsOf(team, 'team-lead')).toEqual([expect.stringContaining('needs MCP servers that there are not: odd')]);
  expect(result.members.map(({ name }) => name)).toEqual(['team-lead']);
});

test('an agent that its own definition denies a server cannot read the resources of it either', async () => {
  await using team = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: Agent, input: { description: x, prompt: Go., subagent_type: barred } }]
    - reply: Done.
  'team-lead/*':
    - when: { turn: 1 }
      reply: [{ tool: ListMcpResources, input: { server: everything } }]
    - reply: Done.
`);
  await addAgent(team, 'barred', 'disallowedTools: mcp__everything');
  await runJson(team, 'Go.', '--mcp-config', EVERYTHING);
  expect(texts(team, 'team-lead/')).toEqual([expect.stringContaining('rule mcp__everything refuses this call')]);
});
