import { mcpPolicyOf } from '../../config/mcpPolicy.js';
import type { LoadedSettings } from '../../config/settings.js';
import type { AgentDefinition } from '../../definitions/agent.js';
import { missingServers, readServers } from '../../definitions/mcp.js';
import { writtenSecrets } from '../../definitions/mcpSecrets.js';
import type { TeamSettings } from '../../team/start/launch.js';
import { UserError } from '../../util/errors.js';
import type { World } from '../services.js';
import { configuredServers, mcpLimits } from './configured.js';

/**
 * What the command line brings along, `--settings` below `--mcp-config`: members cannot read it themselves, so it goes
 * with the team's settings, its variables not filled in. @throws UserError for any mistake in it.
 */
export function commandLineServers(
  given: Readonly<Record<string, unknown>> | undefined,
  { sources }: LoadedSettings,
): Pick<TeamSettings, 'mcpServers' | 'mcpPolicy'> {
  const flag = sources.find(({ source }) => source === 'flag');
  const read = [
    readServers(given, 'flag', '--mcp-config'),
    readServers(flag?.settings.mcpServers, 'flag', flag?.file ?? ''),
  ];
  const [problem] = read.flatMap(({ problems }) => problems);
  if (problem !== undefined) throw new UserError(problem.replace(/ The server is left out\.$/, ''));
  const mcpServers = { ...flag?.settings.mcpServers, ...given };
  const mcpPolicy = mcpPolicyOf(flag ? [flag] : []);
  const limits = mcpPolicy.allowed !== undefined || mcpPolicy.denied.length > 0;
  return { ...(Object.keys(mcpServers).length > 0 && { mcpServers }), ...(limits && { mcpPolicy }) };
}

/** What a person is told before a team starts: which servers are left out, and why; and which secrets get around. @throws UserError for a bad limit. */
export async function teamServers(
  world: Pick<World, 'home'>,
  loaded: LoadedSettings,
  {
    cwd,
    settings,
    environment,
  }: {
    readonly cwd: string;
    readonly settings: TeamSettings;
    readonly environment: Readonly<Record<string, string>>;
  },
): Promise<{ readonly problems: readonly string[]; readonly untrusted: readonly string[] }> {
  mcpLimits(environment);
  const { problems, notices } = await configuredServers(world, { cwd, settings, environment, loaded });
  return { problems: [...problems, ...secretsKept(settings)], untrusted: notices };
}

/** What the command line brings along is written down with the team, for whoever is started later. */
function secretsKept({ mcpServers = {} }: TeamSettings): string[] {
  return writtenSecrets(mcpServers).map(
    (place) =>
      `mcpServers.${place} (command line): what looks like a secret is kept in the team's config.json, where its members can read it. Write \${VAR} in its place and set that variable, or write the server into ~/.claude.json.`,
  );
}

/**
 * Refuses a member whose definition needs MCP servers that there are not, before anything of it is made. Whether one that
 * there is can be reached, the member itself finds out. @throws UserError that names the missing ones.
 */
export async function requireMembersServers(
  world: Pick<World, 'home'>,
  { agentType, requiredMcpServers = [], mcpServers = [] }: AgentDefinition,
  place: Parameters<typeof configuredServers>[1],
): Promise<void> {
  if (requiredMcpServers.length === 0) return;
  const { servers } = await configuredServers(world, place);
  const own = mcpServers.flatMap((entry) => (typeof entry === 'string' ? [] : Object.keys(entry)));
  const names = [...servers.map(({ name }) => name), ...own];
  const missing = missingServers(requiredMcpServers, names);
  if (missing.length > 0)
    throw new UserError(
      `The agent "${agentType}" needs MCP servers that there are not: ${missing.join(', ')}. There are: ${names.join(', ') || 'none'}. See troupe mcp`,
    );
}
