import { join } from 'node:path';
import type { Tool } from '../../agent/tool.js';
import type { ConfiguredServer } from '../../definitions/mcp.js';
import { type Mark, markEnvironment } from '../../host/children.js';
import { type Clock, within } from '../../host/clock.js';
import type { McpServer } from '../../mcp/servers.js';
import { fileNameOf } from '../../util/names.js';
import { oneLine } from '../../util/text.js';
import type { McpLimits } from './configured.js';

export interface GroupOptions {
  readonly servers: readonly ConfiguredServer[];
  readonly clock: Clock;
  /** Where those that are programs are started. Absolute. */
  readonly cwd: string;
  /** Of the agent whose they are. */
  readonly environment: Readonly<Record<string, string>>;
  readonly mark: Mark;
  readonly limits: McpLimits;
  /** For what they write to stderr. */
  readonly logs: string;
  /** For results that are too long. */
  readonly outputFolder: string;
  /** One line about a server or a tool, each once. */
  readonly onProblem: (problem: string) => void;
}

/** The MCP servers of one agent: connected side by side, and gone with it. */
export interface ServerGroup {
  readonly names: readonly string[];
  /** Begins to connect; called again it does nothing. */
  begin(): void;
  /** Waits until each is connected or failed, no longer than a start may take, and not longer than the signal lets it. */
  wait(signal: AbortSignal): Promise<void>;
  /** Those that have begun. */
  servers(): readonly McpServer[];
  /** Their tools as they are now. */
  tools(): readonly Tool[];
  close(): Promise<void>;
}

/** A connection that takes longer than a first request waits may come later, but not for ever. */
const STARTS_PER_CONNECTION = 10;

/** A program gets its member's environment, but not what opens the model's service. */
const WITHHELD = ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'];

export function createServerGroup(options: GroupOptions): ServerGroup {
  const { clock, limits, outputFolder } = options;
  const place = { folder: outputFolder, maxTokens: limits.outputTokens };
  const told = new Set<string>();
  const tell = (problem: string) => {
    if (!told.has(problem)) options.onProblem(problem);
    told.add(problem);
  };
  let loading: Promise<typeof import('../../tools/mcp.js')> | undefined;
  let createTools: typeof import('../../tools/mcp.js').createMcpTools | undefined;
  let servers: readonly McpServer[] = [];
  let isOver = false;

  async function load() {
    const [{ openServer }, { openServerLog }, tools] = await Promise.all([
      import('../../mcp/servers.js'),
      import('../../mcp/serverLog.js'),
      import('../../tools/mcp.js'),
    ]);
    createTools = tools.createMcpTools;
    if (isOver) return tools;
    const environment = Object.fromEntries(
      Object.entries(options.environment).filter(([name]) => !WITHHELD.includes(name)),
    );
    servers = options.servers.map(({ name, config }) =>
      openServer({
        name,
        config,
        clock,
        cwd: options.cwd,
        environment,
        mark: markEnvironment(options.mark),
        log: openServerLog(join(options.logs, `${fileNameOf(name)}.log`)),
        timeoutMs: limits.startMs * STARTS_PER_CONNECTION,
        callTimeoutMs: limits.callMs,
        onProblem: tell,
      }),
    );
    return tools;
  }

  const begin = () => {
    loading ??= load();
    loading.catch((error: unknown) => tell(`MCP servers cannot be used: ${String(error)}`));
    return loading;
  };
  return {
    names: options.servers.map(({ name }) => name),
    begin: () => void begin(),
    async wait(signal) {
      const all = begin().then(() => Promise.all(servers.map(({ settled }) => settled)));
      const stopped = new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      const inTime = Promise.race([all, stopped]).then(
        () => true,
        () => true,
      );
      if (await within(clock, limits.startMs, () => inTime)) return;
      const late = servers.filter((server) => server.state() === 'pending').map(({ name }) => `"${name}"`);
      tell(
        `The MCP server ${late.join(', ')} has not answered within ${limits.startMs / 1000} s; the work begins without it.`,
      );
    },
    servers: () => servers,
    tools() {
      const made = createTools?.(servers, place);
      for (const problem of made?.problems ?? []) tell(problem);
      return made?.tools ?? [];
    },
    async close() {
      isOver = true;
      await loading?.catch(() => {});
      await Promise.all(servers.map((server) => server.close().catch(() => {})));
    },
  };
}

/** What the model is told of those that are not there; nothing where all are. */
export function absentWords(servers: readonly McpServer[]): string {
  const absent = servers.filter((server) => server.state() !== 'connected');
  if (absent.length === 0) return '';
  const lines = absent.map((server) => {
    const problem = server.problem();
    return `- ${server.name}: ${problem === undefined ? 'still connecting; its tools come later' : oneLine(problem, 300)}`;
  });
  return `MCP servers that are not there:\n${lines.join('\n')}`;
}
