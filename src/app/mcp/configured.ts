import { userHome } from '../../config/env.js';
import { loadServers } from '../../config/mcpSources.js';
import { managedFolder } from '../../config/paths.js';
import { type LoadedSettings, loadSettings } from '../../config/settings.js';
import { type ConfiguredServer, expandServer } from '../../definitions/mcp.js';
import { pluginsOf } from '../../definitions/plugin.js';
import type { TeamSettings } from '../../team/launch.js';
import { UserError } from '../../util/errors.js';
import { isOn } from '../knowledge/agentTypes.js';
import type { World } from '../services.js';

export interface UsableServers {
  /** With their variables filled in. */
  readonly servers: readonly ConfiguredServer[];
  readonly problems: readonly string[];
  /** What was left out for want of trust. */
  readonly notices: readonly string[];
}

/** The servers of a session that works in `cwd`, with the variables of its environment. */
export async function configuredServers(
  { home }: Pick<World, 'home'>,
  {
    cwd,
    settings,
    environment,
    loaded,
  }: {
    readonly cwd: string;
    readonly settings: Pick<TeamSettings, 'trusted' | 'pluginDirs' | 'strictPluginOnlyCustomization' | 'mcpServers'>;
    readonly environment: Readonly<Record<string, string>>;
    readonly loaded?: LoadedSettings;
  },
): Promise<UsableServers> {
  if (isOn(environment, 'TROUPE_SIMPLE')) return { servers: [], problems: [], notices: [] };
  const { trusted, pluginDirs = [], strictPluginOnlyCustomization = false, mcpServers } = settings;
  const found = await loadServers({
    cwd,
    userHome: userHome(),
    trusted,
    pluginsOnly: strictPluginOnlyCustomization,
    flag: mcpServers,
    settings: loaded ?? (await loadSettings({ cwd, userHome: userHome(), home, trusted, managed: managedFolder() })),
    plugins: await pluginsOf(pluginDirs, home.plugins),
  });
  const { servers, problems } = expanded(found.servers, environment);
  return { servers, problems: [...found.problems, ...problems], notices: found.notices };
}

/** Those whose variables are all set; a line for each of the others. */
export function expanded(
  servers: readonly ConfiguredServer[],
  environment: Readonly<Record<string, string>>,
): Pick<UsableServers, 'servers' | 'problems'> {
  const usable: ConfiguredServer[] = [];
  const problems: string[] = [];
  for (const server of servers) {
    const { name, file, config, variables } = server;
    const read = expandServer(config, { ...environment, ...variables });
    if ('config' in read) usable.push({ ...server, config: read.config });
    else
      problems.push(
        `${file}: the MCP server "${name}" is left out, for ${read.missing.join(', ')} is not set. Set it, or write \${${read.missing[0]}:-default}.`,
      );
  }
  return { servers: usable, problems };
}

export interface McpLimits {
  /** Milliseconds that a first request waits for servers. */
  readonly startMs: number;
  /** Milliseconds that a call may take without a word. */
  readonly callMs: number;
  /** Of one result, before it goes to a file. */
  readonly outputTokens: number;
}

/** @throws UserError where a variable is no number. */
export function mcpLimits(environment: Readonly<Record<string, string>>): McpLimits {
  const numberIn = (name: string, fallback: number) => {
    const said = environment[name];
    if (!said) return fallback;
    if (!/^[1-9]\d{0,8}$/.test(said)) throw new UserError(`${name} is "${said}": it must be a whole number from 1 on.`);
    return Number(said);
  };
  return {
    startMs: numberIn('MCP_TIMEOUT', 30_000),
    callMs: numberIn('MCP_TOOL_TIMEOUT', 600_000),
    outputTokens: numberIn('MAX_MCP_OUTPUT_TOKENS', 25_000),
  };
}
