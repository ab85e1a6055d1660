import * as z from 'zod/mini';

const Names = z.optional(z.array(z.string('must be text'), 'must be a list'));

/** What settings say of MCP servers. */
export const McpKeys = {
  /** Servers by name. A mistake in one of them leaves the others. */
  mcpServers: z.optional(z.record(z.string(), z.unknown(), 'must be an object')),
  /** `false`: of a project's `.mcp.json` only the enabled ones count. Else all of a trusted folder do. */
  enableAllProjectMcpServers: z.optional(z.boolean('must be true or false')),
  /** Those of `.mcp.json` that count; the others then do not, unless all are enabled. */
  enabledMcpjsonServers: Names,
  /** Those of `.mcp.json` that never count. */
  disabledMcpjsonServers: Names,
};

const Keys = z.object(McpKeys);
export type McpSettings = z.infer<typeof Keys>;

/** Whether a server of a trusted folder's `.mcp.json` counts. */
export function isApproved(
  name: string,
  { enableAllProjectMcpServers: all, enabledMcpjsonServers: enabled, disabledMcpjsonServers: disabled }: McpSettings,
): boolean {
  if (disabled?.includes(name)) return false;
  if (all === true) return true;
  return enabled?.includes(name) || (all === undefined && enabled === undefined);
}
