import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import type { ServerConfig } from '../definitions/mcp.js';
import { type Clock, within } from '../host/clock.js';
import type { ServerLog } from './serverLog.js';
import { stdioTransport } from './stdio.js';

export interface ConnectOptions {
  readonly clock: Clock;
  /** Where a server that is a program is started. Absolute. */
  readonly cwd: string;
  /** The environment of a program, to which its own variables are added. */
  readonly environment: Readonly<Record<string, string>>;
  /** What a program carries for whoever ends this member's children. */
  readonly mark: Readonly<Record<string, string>>;
  readonly log: ServerLog;
  /** Milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** One connection, from its handshake to its end. */
export interface Connection {
  readonly client: Client;
  /** Why it is over, once it is. */
  over(): string | undefined;
  /** Resolves once it is over. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

const GOODBYE_MS = 1000;

/** @throws Error that says why there is none; nothing is left of it then. */
export async function connect(config: ServerConfig, options: ConnectOptions): Promise<Connection> {
  const { clock, log, timeoutMs, signal } = options;
  const { transport, howEnded, goodbye } = transportFor(config, options);
  const client = new Client({ name: 'troupe', version: '1' }, { capabilities: {} });
  let over: string | undefined;
  const closed = new Promise<void>((resolve) => {
    client.onclose = () => {
      over ??= howEnded?.() ?? 'the connection was closed';
      resolve();
    };
  });
  client.onerror = (error) => log.add(`[troupe] ${error.message}\n`);
  const close = async () => {
    if (over === undefined && goodbye) await within(clock, GOODBYE_MS, goodbye).catch(() => {});
    await client.close();
    await log.written();
  };
  try {
    await client.connect(transport, { timeout: timeoutMs, signal: AbortSignal.any([signal]) });
  } catch (error) {
    await close().catch(() => {});
    const ended = howEnded?.();
    const isByUs = signal.aborted || (error instanceof McpError && error.code === ErrorCode.RequestTimeout);
    if (ended !== undefined && !isByUs) throw new Error(`it ended at once (${ended})`, { cause: error });
    throw error;
  }
  return { client, over: () => over, closed, close };
}

interface Way {
  readonly transport: Transport;
  readonly howEnded?: () => string | undefined;
  /** Lets a remote server forget the session. */
  readonly goodbye?: () => Promise<void>;
}

function transportFor(config: ServerConfig, { clock, cwd, environment, mark, log }: ConnectOptions): Way {
  if (config.type === 'stdio') {
    const transport = stdioTransport({
      command: config.command,
      args: config.args ?? [],
      cwd,
      env: { ...environment, ...config.env, ...mark },
      clock,
      onStderr: (text) => log.add(text),
    });
    return { transport, howEnded: transport.howEnded };
  }
  const requestInit = { headers: { ...config.headers } };
  const url = addressOf(config.url);
  if (config.type === 'sse') return { transport: new SSEClientTransport(url, { requestInit }) };
  const transport = new StreamableHTTPClientTransport(url, { requestInit });
  return { transport, goodbye: () => transport.terminateSession() };
}

function addressOf(url: string): URL {
  if (!URL.canParse(url)) throw new Error('its "url" is no address');
  const address = new URL(url);
  if (address.protocol !== 'http:' && address.protocol !== 'https:')
    throw new Error('its "url" must begin with http:// or https://');
  return address;
}
