import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerConfig } from '../../src/definitions/mcp.js';
import { markEnvironment } from '../../src/host/children.js';
import { systemClock } from '../../src/host/clock.js';
import { openServerLog } from '../../src/mcp/serverLog.js';
import { type McpServer, openServer } from '../../src/mcp/servers.js';
import { tempDir } from '../helpers/tempDir.js';

interface Program {
  readonly command: string;
  readonly args?: string[];
}

/** Real servers in a folder of the test's own; they are gone with it. */
export async function mcpBench() {
  const dir = await tempDir();
  const mark = { member: 'bob@red:1', home: dir.path };
  const problems: string[] = [];
  const opened: McpServer[] = [];
  const pids = async () => (await readFile(join(dir.path, 'pids'), 'utf8').catch(() => '')).split('\n').filter(Boolean);
  return {
    path: dir.path,
    mark,
    problems,
    /** Where servers of the tests' own write their ids to, with `pidfile=`. */
    pidFile: join(dir.path, 'pids'),
    pids: async () => (await pids()).map(Number),
    log: (name: string) => readFile(join(dir.path, `${name}.log`), 'utf8'),
    open(config: Program | ServerConfig, more: { timeoutMs?: number; callTimeoutMs?: number } = {}) {
      const name = `odd${opened.length === 0 ? '' : opened.length + 1}`;
      const server = openServer({
        name,
        config: 'type' in config ? config : { type: 'stdio', ...config },
        clock: systemClock,
        cwd: dir.path,
        environment: { PATH: process.env['PATH'] ?? '' },
        mark: markEnvironment(mark),
        log: openServerLog(join(dir.path, `${name}.log`)),
        timeoutMs: 50_000,
        callTimeoutMs: 50_000,
        onProblem: (problem) => problems.push(problem),
        ...more,
      });
      opened.push(server);
      return server;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(opened.map((server) => server.close()));
      await dir[Symbol.asyncDispose]();
    },
  };
}
