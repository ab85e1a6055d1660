import type { Command } from 'commander';
import { type ListedServer, listServers } from '../../app/look/mcpServers.js';
import { theWorld } from '../../app/services.js';
import { untilInterrupted } from '../interrupt.js';
import { createOutput, note, table } from '../output.js';
import { withJson } from './shared.js';

export function register(program: Command): void {
  withJson(program.command('mcp'))
    .summary('list the MCP servers and their tools')
    .description(
      'List the MCP servers that a session here would have, whether they can be reached, and their tools: those of .mcp.json (in a trusted folder), of settings, ~/.claude.json and plugins. Each is started or called for it.',
    )
    .action(async ({ json }: { readonly json?: boolean }) => {
      await untilInterrupted(async (signal) => {
        const { servers, problems } = await listServers(theWorld(), signal);
        createOutput({ json }).data(
          { servers, problems },
          servers.length === 0
            ? 'No MCP servers. Name some in .mcp.json, or in the setting mcpServers.'
            : await table(servers.map(rowOf)),
        );
        if (!json) for (const problem of problems) note(problem);
      });
    });
}

function rowOf({ name, type, state, source, tools }: ListedServer): string[] {
  const shown = tools.slice(0, 5).map((tool) => tool.replace(/^mcp__.*?__/, ''));
  const more = tools.length > shown.length ? ` … (${tools.length})` : '';
  return [name, type, state, source, `${shown.join(', ')}${more}`];
}
