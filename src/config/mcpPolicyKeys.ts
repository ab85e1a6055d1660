import * as z from 'zod/mini';

const Text = z.string('must be text').check(z.minLength(1, 'must not be empty'));
const FORMS = 'must be {"serverName"}, {"serverCommand": [program, arguments…]} or {"serverUrl"}, one of them';

/** Which servers an entry means: by name, by the very command, or by an address in which `*` stands for anything. */
const ServerMatch = z.union(
  [
    z.strictObject({ serverName: Text }),
    z.strictObject({ serverCommand: z.array(Text).check(z.minLength(1)) }),
    z.strictObject({ serverUrl: Text }),
  ],
  FORMS,
);
export type ServerMatch = z.infer<typeof ServerMatch>;
const Matches = z.optional(z.array(ServerMatch, 'must be a list'));

/** What settings say of which MCP servers there may be. */
export const McpPolicyKeys = {
  /** Present: no others. */
  allowedMcpServers: Matches,
  /** Wins over any permission. */
  deniedMcpServers: Matches,
  /** Of a manager: nobody else's list allows any. */
  allowManagedMcpServersOnly: z.optional(z.boolean('must be true or false')),
};

const Keys = z.object(McpPolicyKeys);
export type McpPolicySettings = z.infer<typeof Keys>;

/** The lists of all settings as one. */
export const McpPolicy = z.object({ allowed: Matches, denied: z.array(ServerMatch) });
export type McpPolicy = z.infer<typeof McpPolicy>;
