import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { currentFolder, temporaryFolder, userHome } from '../../config/env.js';
import { managedFolder } from '../../config/paths.js';
import { loadSettings } from '../../config/settings.js';
import { openTrust } from '../../config/trust.js';
import type { ServerSource } from '../../definitions/mcp.js';
import { mcpToolName } from '../../tools/support/mcp/mcpNames.js';
import { configuredServers, mcpLimits } from '../mcp/configured.js';
import { createServerGroup } from '../mcp/serverGroup.js';
import type { World } from '../services.js';

export interface ListedServer {
  readonly name: string;
  readonly type: string;
  readonly state: string;
  readonly source: ServerSource;
  readonly file: string;
  /** As agents call them. */
  readonly tools: readonly string[];
  readonly problem?: string;
}

/** The MCP servers that a session here would have: each is connected, asked for its tools and let go. */
export async function listServers(
  world: World,
  signal: AbortSignal,
): Promise<{ readonly servers: readonly ListedServer[]; readonly problems: readonly string[] }> {
  const { home, clock, ids } = world;
  const cwd = currentFolder();
  const trusted = await openTrust(home).isTrusted(cwd);
  const loaded = await loadSettings({ cwd, userHome: userHome(), home, trusted, managed: managedFolder() });
  const { strictPluginOnlyCustomization } = loaded.settings;
  const environment = { ...world.environment(), ...loaded.settings.env };
  const settings = { trusted, strictPluginOnlyCustomization };
  const found = await configuredServers(world, { cwd, settings, environment, loaded });
  const notes = [...loaded.notices, ...found.notices, ...found.problems];
  const folder = await mkdtemp(join(temporaryFolder(), 'troupe-mcp-'));
  const group = createServerGroup({
    servers: found.servers,
    clock,
    cwd,
    environment,
    mark: { member: `mcp-${ids.hex(8)}`, home: home.root },
    limits: mcpLimits(environment),
    logs: folder,
    outputFolder: folder,
    onProblem: (problem) => notes.push(problem),
  });
  try {
    await group.wait(signal);
    const names = group.tools().map(({ name }) => name);
    const servers = found.servers.map(({ name, source, file, config }) => {
      const server = group.servers().find((one) => one.name === name);
      const problem = server?.problem();
      const tools = (server?.tools() ?? []).map((tool) => mcpToolName(name, tool.name));
      return {
        name,
        type: config.type,
        state: server?.state() ?? 'pending',
        source,
        file,
        tools: names.filter((tool) => tools.includes(tool)),
        ...(problem !== undefined && { problem }),
      };
    });
    return { servers, problems: notes };
  } finally {
    await group.close();
    await rm(folder, { recursive: true, force: true });
  }
}
