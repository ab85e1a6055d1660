import * as z from 'zod/mini';
import type { ServerConfig } from '../definitions/mcp.js';
import { run } from '../host/run.js';
import { oneLine } from '../util/text.js';
import type { ConnectOptions } from './connection.js';

const Headers = z.record(z.string(), z.string());
const MOST_MS = 10_000;

/**
 * A server with the headers that its `headersHelper` prints, as one JSON object of texts, over those that are written.
 * It is run for each connection anew: what it prints may be good for minutes only.
 * @throws Error that says what was wrong, never with what it printed.
 */
export async function withHelperHeaders<C extends ServerConfig>(
  name: string,
  config: C,
  { cwd, environment, mark, signal }: Pick<ConnectOptions, 'cwd' | 'environment' | 'mark' | 'signal'>,
): Promise<C> {
  if (config.type === 'stdio' || config.headersHelper === undefined) return config;
  const own = { CLAUDE_CODE_MCP_SERVER_NAME: name, CLAUDE_CODE_MCP_SERVER_URL: config.url };
  const { exitCode, stdout, stderr } = await run('bash', ['--norc', '-c', config.headersHelper], {
    ...{ cwd, signal, timeout: MOST_MS },
    env: { ...environment, ...own, ...mark },
  });
  if (exitCode !== 0)
    throw new Error(`its headersHelper ended with ${exitCode}${stderr === '' ? '' : `: ${oneLine(stderr, 200)}`}`);
  const headers = Headers.safeParse(parsed(stdout));
  if (!headers.success) throw new Error('its headersHelper must print one JSON object of texts');
  return { ...config, headers: { ...config.headers, ...headers.data } };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
