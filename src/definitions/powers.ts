import type { ParsedAgent } from './agent.js';

/** Why the definitions of users and projects may not bring hooks and servers along, or `undefined` where they may. */
export function barrierOf({
  trusted,
  pluginsOnly,
}: {
  readonly trusted: boolean;
  readonly pluginsOnly?: boolean | undefined;
}): string | undefined {
  if (pluginsOnly) return 'do not count: only plugins may bring them (setting strictPluginOnlyCustomization)';
  return trusted ? undefined : 'do not count until the project is trusted (troupe trust)';
}

/** The definition without its hooks and inline MCP servers; the agent itself still runs. */
export function withoutPowers({ agent, warnings }: ParsedAgent, barrier: string): ParsedAgent {
  const { hooks, mcpServers, ...rest } = agent;
  const inline = mcpServers?.some((server) => typeof server !== 'string');
  if (hooks === undefined && !inline) return { agent, warnings };
  const left = [hooks && 'hooks', inline && 'inline MCP servers'].filter(Boolean).join(' and ');
  return {
    agent: { ...rest, ...(mcpServers && { mcpServers: mcpServers.filter((server) => typeof server === 'string') }) },
    warnings: [...warnings, `${agent.filename}: its ${left} ${barrier}.`],
  };
}
