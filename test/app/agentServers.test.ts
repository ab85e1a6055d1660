import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createArrivals } from '../../src/agent/arrivals.js';
import { createToolBelt } from '../../src/agent/calls/toolBelt.js';
import type { AgentRun } from '../../src/agent/runAgent.js';
import { openSessionServers } from '../../src/app/mcp/agentServers.js';
import { homeAt } from '../../src/config/paths.js';
import type { AgentDefinition } from '../../src/definitions/agent.js';
import { systemClock } from '../../src/host/clock.js';
import { createReadLedger } from '../../src/tools/support/files/readLedger.js';
import { createToolSearchTool } from '../../src/tools/toolSearch.js';
import { eventually } from '../helpers/eventually.js';
import { oddServer } from '../helpers/mcp.js';
import { launchOf, SETTINGS } from '../helpers/team.js';
import { tempDir } from '../helpers/tempDir.js';

const signal = new AbortController().signal;

test.each([
  ['sent', [], 'sent'],
  ['told, for ToolSearch to load, where there are many', ['tools=41'], 'told'],
])('a tool that a server lists in the middle of a turn is %s at the next step', async (_, words, how) => {
  await using dir = await tempDir();
  const home = homeAt(join(dir.path, 'home'));
  const launch = launchOf({
    ...{ cwd: dir.path, home: home.root, environment: { PATH: process.env['PATH'] ?? '' } },
    // No server of whoever runs this.
    settings: { ...SETTINGS, strictPluginOnlyCustomization: true, mcpServers: { odd: oddServer('grow', ...words) } },
  });
  const session = home.session('session');
  const problems: string[] = [];
  const servers = await openSessionServers({
    ...{ world: { home }, clock: systemClock, launch, session, definition: undefined },
    onProblem: (problem) => problems.push(problem),
  });
  const belt = createToolBelt(servers.tools(), { search: createToolSearchTool });
  const arrivals = createArrivals();
  const given: Pick<AgentRun, 'arrivals' | 'cleanups' | 'turnSignal' | 'drain' | 'prompt'> = {
    ...{ arrivals, cleanups: [], turnSignal: () => signal, drain: signal },
    prompt: [{ type: 'text', text: 'Go.' }],
  };
  const run = servers.joined(
    given as AgentRun,
    belt,
    () => belt.renew(servers.tools()),
    () => {},
  );
  try {
    expect(await run.next?.(undefined)).toMatchObject([{ text: 'Go.' }, ...(how === 'told' ? [{}] : [])]);
    expect(run.arrivals.take()).toEqual([]);
    expect(await servers.call('odd', 'echo', { text: 'by a hook' }, signal)).toMatchObject({ isError: false });
    await expect(servers.call('even', 'echo', {}, signal)).rejects.toThrow('"even" is not connected');
    const echo = servers.tools().find(({ name }) => name === 'mcp__odd__echo');
    const context = {
      cwd: dir.path,
      mode: 'default',
      signal,
      toolUseId: 'toolu_1',
      readLedger: createReadLedger(),
    } as const;
    await echo?.prepare({ text: 'x' }, context).run();
    arrivals.add({ text: 'Mail.', from: 'lead', mail: [], wakes: true });
    const taken: string[] = [];
    await eventually(() => {
      taken.push(...run.arrivals.take().map(({ text }) => text));
      const tool = belt.tools.find(({ name }) => name === 'mcp__odd__grown_1');
      expect(tool && (tool.deferred ? 'told' : 'sent')).toBe(how);
    });
    const words = '<system-reminder>\nTools that ToolSearch loads: mcp__odd__grown_1\n</system-reminder>';
    expect(taken).toEqual(['Mail.', ...(how === 'told' ? [words] : [])]);
    expect(problems).toEqual([]);
  } finally {
    for (const cleanup of run.cleanups) await cleanup();
  }
});

test('a server that the settings of the command line deny is left out, an agent’s own too, and a line says which and why', async () => {
  await using dir = await tempDir();
  const home = homeAt(join(dir.path, 'home'));
  const launch = launchOf({
    ...{ cwd: dir.path, home: home.root, environment: {} },
    settings: {
      ...{ ...SETTINGS, strictPluginOnlyCustomization: true },
      mcpServers: { odd: oddServer('grow'), good: oddServer('grow') },
      mcpPolicy: { denied: [{ serverName: 'odd' }, { serverUrl: 'https://bad.test/*' }] },
    },
  });
  const problems: string[] = [];
  const definition = {
    ...{ agentType: 'a', filename: 'a.md', mcpServers: [{ own: { type: 'http', url: 'https://bad.test/mcp' } }] },
  } as unknown as AgentDefinition;
  const servers = await openSessionServers({
    ...{ world: { home }, clock: systemClock, launch, session: home.session('session'), definition },
    onProblem: (problem) => problems.push(problem),
  });
  expect(servers.names).toEqual(['good']);
  expect(problems).toEqual(['a.md: the MCP server "own" is left out: deniedMcpServers in the settings names it.']);
});
