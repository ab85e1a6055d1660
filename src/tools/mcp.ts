import type { Tool } from '../agent/tool.js';
import { isRecord } from '../definitions/frontmatter.js';
import type { McpServer, ServerTool } from '../mcp/servers.js';
import { ToolError } from '../util/errors.js';
import { oneLine } from '../util/text.js';
import { blocksOf, type ContentPlace } from './support/mcp/mcpContent.js';
import { mcpToolName } from './support/mcp/mcpNames.js';
import { mendedSchema } from './support/mcp/mcpSchema.js';

export type ResultPlace = Omit<ContentPlace, 'name'>;

/** Characters: what every request carries. */
const LONGEST_DESCRIPTION = 2048;

export interface McpTools {
  readonly tools: readonly Tool[];
  /** One line each: a tool that is left out. */
  readonly problems: readonly string[];
}

/** The tools of servers as tools of ours, by name. Of two with the same name the first one counts. */
export function createMcpTools(servers: readonly McpServer[], place: ResultPlace): McpTools {
  const tools = new Map<string, Tool>();
  const problems: string[] = [];
  for (const server of servers) {
    for (const tool of server.tools()) {
      const name = mcpToolName(server.name, tool.name);
      const read = mendedSchema(name, tool.inputSchema);
      const problem = tools.has(name)
        ? `another one is called ${name} already`
        : 'problem' in read
          ? read.problem
          : undefined;
      if (problem !== undefined || 'problem' in read)
        problems.push(`The tool "${tool.name}" of the MCP server "${server.name}" is left out: ${problem}.`);
      else tools.set(name, mcpTool(server, tool, { name, ...read }, place));
    }
  }
  return { tools: [...tools.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), problems };
}

function mcpTool(
  server: McpServer,
  { name: called, description, title, annotations }: ServerTool,
  { name, schema }: { readonly name: string; readonly schema: Tool['schema']['input_schema'] },
  place: ResultPlace,
): Tool {
  // A server's word for it: no call is allowed by that alone (permissions/judge), but only such ones in plan mode.
  const isReadOnly = annotations?.readOnlyHint === true;
  return {
    name,
    schema: {
      name,
      description: (description ?? title ?? called).slice(0, LONGEST_DESCRIPTION).toWellFormed(),
      input_schema: schema,
    },
    isReadOnly,
    isCoordination: false,
    isConcurrent: isReadOnly,
    prepare(raw, { signal, toolUseId }) {
      if (!isRecord(raw)) throw new ToolError(`The input of ${name} must be an object; its schema says what is in it.`);
      return {
        access: { kind: 'other' },
        async run() {
          const result = await server.call(called, raw, signal);
          const content = await blocksOf(result, { ...place, name: fileName(toolUseId) });
          return { content, ...(result.isError === true && { isError: true }) };
        },
      };
    },
  };
}

/** A tool-use id as a file name. */
export function fileName(toolUseId: string): string {
  return toolUseId.replace(/[^\w-]/g, '_');
}

/** A server in one line. */
export function serverLine(server: McpServer): string {
  const problem = server.problem();
  return `${server.name}: ${server.state()}${problem === undefined ? '' : `, ${oneLine(problem, 200)}`}`;
}
