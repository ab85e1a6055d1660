import * as z from 'zod/mini';
import { defineTool, type Tool } from '../agent/tool.js';
import { serverKey } from '../definitions/mcp.js';
import type { McpServer } from '../mcp/servers.js';
import { ToolError } from '../util/errors.js';
import { didYouMean } from '../util/text.js';
import { fileName, type ResultPlace, serverLine } from './mcp.js';
import { blocksOfResource } from './support/mcpContent.js';

type Servers = () => readonly McpServer[];
/** As permission rules name it. */
const ruleName = (server: string) => `mcp__${serverKey(server)}`;

export function createListMcpResourcesTool(servers: Servers): Tool {
  return defineTool({
    name: 'ListMcpResources',
    description: 'The resources of the MCP servers: what they have to read, by address.',
    input: z.object({ server: z.optional(z.string().check(z.describe('Only of this one'))) }),
    isReadOnly: true,
    access: ({ server }) => ({ kind: 'none', ...(server !== undefined && { server: ruleName(server) }) }),
    async call({ server }, { signal, mayReach = () => true }) {
      const shown = servers().filter(({ name }) => mayReach(ruleName(name)));
      const asked = server === undefined ? shown : [serverOf(servers, server)];
      const listed = await Promise.all(asked.map((one) => resourcesOf(one, signal)));
      return listed.join('\n\n') || 'There are no MCP servers.';
    },
  });
}

export function createReadMcpResourceTool(servers: Servers, place: ResultPlace): Tool {
  return defineTool({
    name: 'ReadMcpResource',
    description: 'Reads one resource of an MCP server.',
    input: z.object({ server: z.string(), uri: z.string() }),
    isReadOnly: true,
    access: ({ server }) => ({ kind: 'other', specifier: server, server: ruleName(server) }),
    async call({ server, uri }, { signal, toolUseId }) {
      const contents = await serverOf(servers, server).read(uri, signal);
      return { content: await blocksOfResource(contents, { ...place, name: fileName(toolUseId) }) };
    },
  });
}

async function resourcesOf(server: McpServer, signal: AbortSignal): Promise<string> {
  if (server.state() !== 'connected') return serverLine(server);
  if (!server.hasResources()) return `${server.name}: no resources`;
  const resources = await server.resources(signal);
  const lines = resources.map(
    ({ uri, name, mimeType, description }) =>
      `- ${[uri, name, mimeType, description].filter((part) => part !== undefined).join(' · ')}`,
  );
  return [`${server.name}:`, ...(lines.length > 0 ? lines : ['(none)'])].join('\n');
}

function serverOf(servers: Servers, name: string): McpServer {
  const known = servers();
  const found = known.find((server) => server.name === name);
  if (found) return found;
  const names = known.map((server) => server.name);
  throw new ToolError(
    `There is no MCP server "${name}".${didYouMean(name, names)} Servers: ${names.join(', ') || 'none'}`,
  );
}
