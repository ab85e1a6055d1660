import { userHome } from '../../config/env.js';
import { bothPolicies, mcpPolicyOf, policyRefusal } from '../../config/mcpPolicy.js';
import type { McpPolicy } from '../../config/mcpPolicyKeys.js';
import { loadServers } from '../../config/mcpSources.js';
import { managedFolder } from '../../config/paths.js';
import { type LoadedSettings, loadSettings } from '../../config/settings.js';
import { type ConfiguredServer, expandServer } from '../../definitions/mcp.js';
import { pluginsOf } from '../../definitions/plugin.js';
import type { TeamSettings } from '../../team/start/launch.js';
import { UserError } from '../../util/errors.js';
import { isOn } from '../knowledge/agentTypes.js';
import type { World } from '../services.js';

export interface UsableServers {
  /** With their variables filled in. */
  readonly servers: readonly ConfiguredServer[];
  readonly problems: readonly string[];
  /** Which servers there may be, those of agents' definitions too. */
  readonly policy: McpPolicy;
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
    readonly settings: Pick<
      TeamSettings,
      'trusted' | 'pluginDirs' | 'strictPluginOnlyCustomization' | 'mcpServers' | 'mcpPolicy'
    >;
    readonly environment: Readonly<Record<string, string>>;
    readonly loaded?: LoadedSettings;
  },
): Promise<UsableServers> {
  const all = loaded ?? (await settingsAt(home, cwd, settings.trusted));
  const policy = bothPolicies(mcpPolicyOf(all.sources), settings.mcpPolicy);
  if (isOn(environment, 'TROUPE_SIMPLE')) return { servers: [], problems: [], notices: [], policy };
  const { trusted, pluginDirs = [], strictPluginOnlyCustomization = false, mcpServers } = settings;
  const found = await loadServers({
    cwd,
    userHome: userHome(),
    trusted,
    pluginsOnly: strictPluginOnlyCustomization,
    flag: mcpServers,
    settings: all,
    plugins: await pluginsOf(pluginDirs, home.plugins),
  });
  const { servers, problems } = expanded(found.servers, environment, policy);
  return { servers, problems: [...found.problems, ...problems], notices: found.notices, policy };
}

const settingsAt = (home: World['home'], cwd: string, trusted: boolean) =>
  loadSettings({ cwd, userHome: userHome(), home, trusted, managed: managedFolder() });

/** Those whose variables are all set, and that there may be; a line for each of the others. */
export function expanded(
  servers: readonly ConfiguredServer[],
  environment: Readonly<Record<string, string>>,
  policy: McpPolicy,
): Pick<UsableServers, 'servers' | 'problems'> {
  const usable: ConfiguredServer[] = [];
  const problems: string[] = [];
  for (const server of servers) {
    const { name, file, config, variables } = server;
    const read = expandServer(config, { ...environment, ...variables });
    const because = 'config' in read && policyRefusal({ ...server, config: read.config }, policy);
    if ('config' in read && !because) usable.push({ ...server, config: read.config });
    else if (because) problems.push(`${file}: the MCP server "${name}" is left out: ${because}.`);
    else if ('missing' in read)
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
