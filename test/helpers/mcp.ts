import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

/** A real server of npm's, as `node` starts it. */
export function realServer(name: 'everything' | 'filesystem' | 'memory', ...args: string[]) {
  const path = require.resolve(`@modelcontextprotocol/server-${name}/package.json`);
  return { command: process.execPath, args: [join(dirname(path), 'dist', 'index.js'), ...args] };
}

/** A server of the tests' own; test/mcp/odd.mjs says what it can be told to do wrong. */
export function oddServer(...args: string[]) {
  return {
    command: process.execPath,
    args: [fileURLToPath(new URL('../mcp/odd.mjs', import.meta.url)), ...args],
  };
}

/** As `.mcp.json` and `--mcp-config` have it. */
export function mcpJson(servers: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ mcpServers: servers });
}
