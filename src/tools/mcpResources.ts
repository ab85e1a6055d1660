import * as z from 'zod/mini';
import { defineTool, type Tool } from '../agent/tool.js';
import { serverKey } from '../definitions/mcp.js';
import type { McpServer, Resource } from '../mcp/servers.js';
import { ToolError } from '../util/errors.js';
import { didYouMean, oneLine } from '../util/text.js';
import { fileName, type ResultPlace, serverLine } from './mcp.js';
import { blocksOf, blocksOfResource } from './support/mcp/mcpContent.js';

type Servers = () => readonly McpServer[];
const LONGEST_PART = 2000;
/** As permission rules name it. */
const ruleName = (server: string) => `mcp__${serverKey(server)}`;

export function createListMcpResourcesTool(servers: Servers, place: ResultPlace): Tool {
  return defineTool({
    name: 'ListMcpResources',
    description:
      'The resources of the MCP servers: what they have to read, by address. Of a template, fill in what is in braces.',
    input: z.object({ server: z.optional(z.string().check(z.describe('Only of this one'))) }),
    isReadOnly: true,
    access: ({ server }) => ({ kind: 'none', ...(server !== undefined && { server: ruleName(server) }) }),
    async call({ server }, { signal, toolUseId, mayReach = () => true }) {
      const shown = servers().filter(({ name }) => mayReach(ruleName(name)));
      const asked = server === undefined ? shown : [serverOf(servers, server)];
      const listed = await Promise.all(asked.map((one) => resourcesOf(one, signal)));
      const text = listed.join('\n\n') || 'There are no MCP servers.';
      return {
        content: await blocksOf({ content: [{ type: 'text', text }] }, { ...place, name: fileName(toolUseId) }),
      };
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
      if (contents.length === 0) return `Resource ${uri}: empty`;
      return { content: await blocksOfResource(contents, { ...place, name: fileName(toolUseId) }) };
    },
  });
}

async function resourcesOf(server: McpServer, signal: AbortSignal): Promise<string> {
  if (server.state() !== 'connected') return serverLine(server);
  if (!server.hasResources()) return `${server.name}: no resources`;
  try {
    const [resources, templates] = await Promise.all([server.resources(signal), server.templates(signal)]);
    const lines = [
      ...resources.map((resource) => lineOf(resource.uri, resource)),
      ...templates.map((template) => lineOf(`${template.uriTemplate} (template)`, template)),
    ];
    return [`${server.name}:`, ...(lines.length > 0 ? lines : ['(none)'])].join('\n');
  } catch (error) {
    // One that fails keeps nobody from what the others have.
    if (error instanceof ToolError) return `${server.name}: ${error.message}`;
    throw error;
  }
}

function lineOf(
  address: string,
  { name, mimeType, description }: Pick<Resource, 'name' | 'mimeType' | 'description'>,
): string {
  const parts = [address, name, mimeType, description].filter((part) => part !== undefined);
  return `- ${parts.map((part) => oneLine(part, LONGEST_PART)).join(' · ')}`;
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
