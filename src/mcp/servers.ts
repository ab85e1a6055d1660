import { SseError } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import { ErrorCode, McpError, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type { ServerConfig } from '../definitions/mcp.js';
import { secretMask } from '../definitions/mcpSecrets.js';
import { messageOf, ToolError } from '../util/errors.js';
import { oneLine } from '../util/text.js';
import { type Connection, type ConnectOptions, connect } from './connection.js';
import { withHelperHeaders } from './headersHelper.js';
import {
  CallResult,
  ReadResult,
  type Resource,
  type ResourceContents,
  ResourcePage,
  type ResourceTemplate,
  ServerTool,
  TemplatePage,
  ToolPage,
} from './result.js';

export type { CallResult, Resource, ResourceContents, ResourceTemplate, ServerTool };

export interface ServerOptions extends Omit<ConnectOptions, 'signal'> {
  /** For names and messages, as it was written. */
  readonly name: string;
  /** Variables filled in. */
  readonly config: ServerConfig;
  /** Milliseconds that one call may take without a word, where its configuration says nothing. */
  readonly callTimeoutMs: number;
  /** One line each: it cannot be reached, or it died. */
  readonly onProblem: (problem: string) => void;
}

/** A server of one session. It connects by itself, and once more when it dies. */
export interface McpServer {
  readonly name: string;
  readonly type: ServerConfig['type'];
  state(): 'pending' | 'connected' | 'failed';
  /** Why it failed. */
  problem(): string | undefined;
  /** Resolves once it is connected, or is not to be had. Never rejects. */
  readonly settled: Promise<void>;
  /** As it listed them last. */
  tools(): readonly ServerTool[];
  hasResources(): boolean;
  /** @throws ToolError where the server is not there, does not answer or refuses. */
  call(tool: string, input: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<CallResult>;
  resources(signal: AbortSignal): Promise<readonly Resource[]>;
  /** None where the server knows no such thing. */
  templates(signal: AbortSignal): Promise<readonly ResourceTemplate[]>;
  read(uri: string, signal: AbortSignal): Promise<readonly ResourceContents[]>;
  /** Its process and its connection are gone when it returns. */
  close(): Promise<void>;
}

/** A list that is longer is one without end. */
const MAX_PAGES = 100;

/** Begins to connect. */
export function openServer(options: ServerOptions): McpServer {
  const { name, config, onProblem } = options;
  let mask = secretMask(config);
  const log = { ...options.log, add: (text: string) => options.log.add(mask(text)) };
  const end = new AbortController();
  let problem: string | undefined;
  let current: Connection | undefined;
  let tools: readonly ServerTool[] = [];
  let hasDied = false;
  let connecting = attempt();
  const settled = connecting.then(
    () => {},
    () => {},
  );

  async function attempt(): Promise<Connection> {
    let made: Connection | undefined;
    try {
      const whole = await withHelperHeaders(name, config, { ...options, signal: end.signal });
      mask = secretMask(whole);
      const connection = await connect(whole, { ...options, log, signal: end.signal });
      made = connection;
      tools = await listTools(connection);
      connection.client.setNotificationHandler(ToolListChangedNotificationSchema, async () => {
        tools = await listTools(connection).catch(() => tools);
      });
      current = connection;
      connection.closed.then(() => died(connection, connection.over() ?? ''));
      return connection;
    } catch (error) {
      await made?.close().catch(() => {});
      problem = said(error);
      if (!end.signal.aborted) onProblem(`The MCP server "${name}" cannot be used: ${problem}`);
      throw new ToolError(`The MCP server "${name}" is not connected: ${problem}`, { cause: error });
    }
  }

  async function listTools({ client }: Connection): Promise<readonly ServerTool[]> {
    if (!client.getServerCapabilities()?.tools) return [];
    const found = await pages(async (cursor) => {
      const params = cursor === undefined ? {} : { cursor };
      const page = await client.request({ method: 'tools/list', params }, ToolPage, limits());
      return { items: page.tools, nextCursor: page.nextCursor };
    });
    return found.flatMap((tool) => {
      const parsed = ServerTool.safeParse(tool);
      if (parsed.success) return [parsed.data];
      onProblem(`A tool of the MCP server "${name}" has no name and is left out.`);
      return [];
    });
  }

  /** The first time it is connected anew; the second time that was it. */
  function died(connection: Connection, why: string): void {
    if (end.signal.aborted || current !== connection) return;
    current = undefined;
    if (hasDied) {
      problem = withLog(`it died again (${why})`);
      connecting = Promise.reject(new ToolError(`The MCP server "${name}" is gone: ${problem}`));
      connecting.catch(() => {});
      onProblem(`The MCP server "${name}" is gone: ${problem}`);
      return;
    }
    hasDied = true;
    onProblem(`The MCP server "${name}" died (${why}) and is connected anew.`);
    connecting = attempt();
    connecting.catch(() => {});
  }

  async function use<T>(work: (connection: Connection) => Promise<T>, signal: AbortSignal): Promise<T> {
    const connection = await unlessAborted(connecting, signal);
    try {
      return await work(connection);
    } catch (error) {
      signal.throwIfAborted();
      if (isGone(error)) {
        died(connection, messageOf(error));
        await connection.close().catch(() => {});
      }
      if (connection.over() !== undefined)
        throw new ToolError(goneWords(name, connection, hasDied && problem), { cause: error });
      throw new ToolError(`The MCP server "${name}": ${said(error)}`, { cause: error });
    }
  }

  function said(error: unknown): string {
    if (error instanceof McpError && error.code === ErrorCode.RequestTimeout)
      return withLog('it does not answer in time');
    const words = oneLine(mask(messageOf(error)).replace(/^MCP error -?\d+: /, ''), 500);
    const status = error instanceof StreamableHTTPError || error instanceof SseError ? error.code : undefined;
    if (status === 401 || status === 403)
      return `it answers with ${status}: what its "headers" say does not let you in (${words})`;
    // What it answers itself needs no log, and of a status the log says the same.
    if (error instanceof McpError) return words;
    return status === undefined || status < 0 ? withLog(words) : `it answers with ${status}: ${words}`;
  }

  function withLog(text: string): string {
    const last = log.lastLines();
    return last === '' ? text : `${text}. Its last lines (all in ${log.path}):\n${last}`;
  }

  const limits = (signal?: AbortSignal): RequestOptions => ({
    timeout: config.timeout ?? options.callTimeoutMs,
    resetTimeoutOnProgress: true,
    onprogress: () => {},
    // One of its own for each: the SDK leaves its listeners behind.
    ...(signal && { signal: AbortSignal.any([signal]) }),
  });

  return {
    name,
    type: config.type,
    state: () => (current ? 'connected' : problem === undefined ? 'pending' : 'failed'),
    problem: () => problem,
    settled,
    tools: () => tools,
    hasResources: () => current?.client.getServerCapabilities()?.resources !== undefined,
    call: (tool, input, signal) =>
      use(({ client }) => {
        const params = { name: tool, arguments: { ...input } };
        return client.request({ method: 'tools/call', params }, CallResult, limits(signal));
      }, signal),
    resources: (signal) =>
      use(
        ({ client }) =>
          pages(async (cursor) => {
            const params = cursor === undefined ? {} : { cursor };
            const page = await client.request({ method: 'resources/list', params }, ResourcePage, limits(signal));
            return { items: page.resources, nextCursor: page.nextCursor };
          }),
        signal,
      ),
    templates: (signal) =>
      use(
        ({ client }) =>
          pages(async (cursor) => {
            const request = { method: 'resources/templates/list', params: cursor === undefined ? {} : { cursor } };
            const page = await client.request(request, TemplatePage, limits(signal)).catch((error: unknown) => {
              if (error instanceof McpError && error.code === ErrorCode.MethodNotFound) return undefined;
              throw error;
            });
            return { items: page?.resourceTemplates ?? [], nextCursor: page?.nextCursor };
          }),
        signal,
      ),
    read: (uri, signal) =>
      use(async ({ client }) => {
        const read = await client.request({ method: 'resources/read', params: { uri } }, ReadResult, limits(signal));
        return read.contents;
      }, signal),
    async close() {
      end.abort();
      const connection = await connecting.catch(() => undefined);
      await connection?.close();
    },
  };
}

function goneWords(name: string, connection: Connection, isOver: string | false | undefined): string {
  if (typeof isOver === 'string') return `The MCP server "${name}" is gone: ${isOver}`;
  return `The MCP server "${name}" died during the call (${connection.over()}). It is connected anew: call again if the call may be made twice.`;
}

/** What a remote server that is gone, or has forgotten the session, answers. */
function isGone(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof StreamableHTTPError && error.code === 404);
}

async function pages<T>(
  page: (
    cursor: string | undefined,
  ) => Promise<{ readonly items: readonly T[]; readonly nextCursor?: string | undefined }>,
): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  for (let count = 0; count < MAX_PAGES; count++) {
    const { items, nextCursor } = await page(cursor);
    all.push(...items);
    if (nextCursor === undefined) break;
    cursor = nextCursor;
  }
  return all;
}

/** @throws the signal's reason as soon as it is aborted. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const over = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: over.signal });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    over.abort();
  }
}
