import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { mcpJson, oddServer } from '../helpers/mcp.js';
import { resultsOf } from '../helpers/requests.js';
import { isRunning, tmuxStage } from '../helpers/tmuxTeam.js';

const calling = (agent: string) => `
  ${agent}:
    - when: { turn: 1 }
      reply: [{ tool: mcp__odd__echo, input: { text: I am here } }]
    - reply: Done.
`;
const ONE = '---\nname: one\ndescription: x\nmembers: [{ name: bob, prompt: Go. }]\n---\nGo.\n';

/** A team of two in tmux whose servers go on until they are killed. */
async function stubbornTeam() {
  const team = await tmuxStage(`agents:${calling('bob')}${calling('team-lead')}`);
  await team.template('one', ONE);
  const file = join(team.folder, 'pids');
  const config = join(team.folder, 'servers.json');
  await writeFile(config, mcpJson({ odd: oddServer('stubborn', `pidfile=${file}`) }));
  const flags = ['--detach', '--backend', 'tmux', '--mcp-config', config, '--allowed-tools', 'mcp__odd'];
  await team.ok('up', 'one', '--name', 'red', ...flags);
  await eventually(() => {
    expect(resultsOf(team, 'bob')).toEqual(['I am here']);
    expect(resultsOf(team, 'team-lead')).toEqual(['I am here']);
  });
  const servers = (await readFile(file, 'utf8')).trim().split('\n').map(Number);
  const parentOf = async (pid: number) =>
    Number(/^PPid:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]);
  const parents = new Map(await Promise.all(servers.map(async (pid) => [await parentOf(pid), pid] as const)));
  return { team, serverOf: async (name: string) => parents.get((await team.member(name)).pid) ?? 0, servers };
}

test('the servers of a teammate that is killed are ended by its lead; those of a lead that is killed, by whoever takes the team down', async () => {
  const { team, serverOf, servers } = await stubbornTeam();
  await using _ = team;
  expect(servers).toHaveLength(2);
  const [ofBob, ofLead] = [await serverOf('bob'), await serverOf('team-lead')];
  process.kill((await team.member('bob')).pid, 'SIGKILL');
  await eventually(async () => expect(await isRunning(ofBob)).toBe(false));
  expect(await isRunning(ofLead)).toBe(true);
  process.kill((await team.member('team-lead')).pid, 'SIGKILL');
  await team.ok('down', 'red');
  expect(await isRunning(ofLead)).toBe(false);
});

test('a teammate that is shut down takes its servers along, and so does a team that is taken down', async () => {
  const { team, serverOf } = await stubbornTeam();
  await using _ = team;
  const [ofBob, ofLead] = [await serverOf('bob'), await serverOf('team-lead')];
  await team.ok('shutdown', 'bob');
  expect(await isRunning(ofBob)).toBe(false);
  await team.ok('down', 'red');
  expect(await isRunning(ofLead)).toBe(false);
});

test('a server that dies in a pane is told there and in the log of events, and its agent goes on', async () => {
  await using team = await tmuxStage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: mcp__odd__leave, input: {} }]
    - when: { turn: 2 }
      reply: [{ tool: mcp__odd__echo, input: { text: back } }]
    - reply: Done.
`);
  const config = join(team.folder, 'servers.json');
  await writeFile(config, mcpJson({ odd: oddServer('die=leave') }));
  const flags = ['--detach', '--backend', 'tmux', '--mcp-config', config, '--allowed-tools', 'mcp__odd'];
  await team.ok('up', 'Go.', '--name', 'red', ...flags);
  await eventually(() => expect(resultsOf(team, 'team-lead').at(-1)).toBe('back'));
  expect(resultsOf(team, 'team-lead')[0]).toMatch(/^The MCP server "odd" died during the call \(exit code 3\)/);
  const { pane } = await team.member('team-lead');
  await eventually(async () =>
    expect((await team.tmux('capture-pane', '-pJ', '-t', pane)).replace(/\s+/g, ' ')).toContain(
      'The MCP server "odd" died (exit code 3) and is connected anew.',
    ),
  );
  expect(await team.ok('logs', 'red')).toContain('mcp_problem');
  const commands = await readFile(`/proc/${(await team.member('team-lead')).pid}/cmdline`, 'utf8');
  expect(commands).not.toContain('odd');
  await team.ok('down', 'red');
});
