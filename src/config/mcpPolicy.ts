import { type ConfiguredServer, serverKey } from '../definitions/mcp.js';
import { matchesUrl } from '../util/urlPattern.js';
import type { McpPolicy, McpPolicySettings, ServerMatch } from './mcpPolicyKeys.js';

/** Settings of one place. */
interface PolicySource {
  readonly source: string;
  readonly settings: McpPolicySettings;
}

/** Who denies is heard from everywhere; who allows only from a manager, where one says so. */
export function mcpPolicyOf(sources: readonly PolicySource[]): McpPolicy {
  const managed = sources.filter(({ source }) => source === 'managed');
  const isManagers = managed.some(({ settings }) => settings.allowManagedMcpServersOnly === true);
  const heard = (isManagers ? managed : sources).flatMap(({ settings }) => settings.allowedMcpServers ?? []);
  const isLimited = isManagers || sources.some(({ settings }) => settings.allowedMcpServers !== undefined);
  return {
    ...(isLimited && { allowed: heard }),
    denied: sources.flatMap(({ settings }) => settings.deniedMcpServers ?? []),
  };
}

/** Two policies that hold side by side. */
export function bothPolicies(one: McpPolicy, other: McpPolicy | undefined): McpPolicy {
  const allowed = [one.allowed, other?.allowed].filter((list) => list !== undefined);
  return {
    ...(allowed.length > 0 && { allowed: allowed.flat() }),
    denied: [...one.denied, ...(other?.denied ?? [])],
  };
}

/** Why a server may not be used, its variables filled in; nothing where it may. */
export function policyRefusal(server: ConfiguredServer, { allowed, denied }: McpPolicy): string | undefined {
  if (denied.some((entry) => means(entry, server))) return 'deniedMcpServers in the settings names it';
  if (allowed === undefined) return undefined;
  // A name is anybody's to take: where commands or addresses are listed, those of their kind are known by them alone.
  const precise = allowed.filter((entry) => (server.config.type === 'stdio' ? 'serverCommand' : 'serverUrl') in entry);
  const counted = precise.length > 0 ? precise : allowed;
  return counted.some((entry) => means(entry, server))
    ? undefined
    : 'allowedMcpServers in the settings does not name it';
}

function means(entry: ServerMatch, { name, config }: ConfiguredServer): boolean {
  if ('serverName' in entry) return serverKey(entry.serverName) === serverKey(name);
  if ('serverUrl' in entry) return config.type !== 'stdio' && matchesUrl(entry.serverUrl, config.url);
  if (config.type !== 'stdio') return false;
  const words = [config.command, ...(config.args ?? [])];
  return words.length === entry.serverCommand.length && words.every((word, at) => word === entry.serverCommand[at]);
}
