import { join } from 'node:path';
import type { ToolBelt } from '../../agent/calls/toolBelt.js';
import type { AgentRun } from '../../agent/runAgent.js';
import type { Tool } from '../../agent/tool.js';
import type { McpPolicy } from '../../config/mcpPolicyKeys.js';
import type { SessionPaths } from '../../config/paths.js';
import type { AgentDefinition } from '../../definitions/agent.js';
import { isRecord } from '../../definitions/frontmatter.js';
import { inlineServers, missingServers } from '../../definitions/mcp.js';
import type { CallServer } from '../../hooks/mcpTool.js';
import type { Clock } from '../../host/clock.js';
import type { ContentBlockParam } from '../../model/types.js';
import { agentIdOf } from '../../team/member.js';
import type { Launch } from '../../team/start/launch.js';
import { createListMcpResourcesTool, createReadMcpResourceTool } from '../../tools/mcpResources.js';
import { createToolSearchTool } from '../../tools/toolSearch.js';
import type { World } from '../services.js';
import { configuredServers, expanded, mcpLimits } from './configured.js';
import { absentWords, createServerGroup, type ServerGroup } from './serverGroup.js';

/** The MCP servers of a session, and those that its sub-agents bring along. */
export interface SessionServers {
  /** Names of those that its agents can have. */
  readonly names: readonly string[];
  /** Their tools as they are now, with those that go with any server; none where there is no server. */
  tools(): readonly Tool[];
  /** Names of the connected ones, once those that are about to be connected are. */
  connected(): Promise<readonly string[]>;
  /** Calls a tool of a connected one, for a hook. */
  readonly call: CallServer;
  /** What a `system/init` line says of them. */
  states(): readonly { readonly name: string; readonly status: string }[];
  /** Whether an agent that needs servers can have them. */
  canHave(definition: AgentDefinition): boolean;
  /**
   * The run with its turns begun by `renew`: what is new is told, and before the first one the servers are waited for.
   * `joined` is called when it has its first tools, or knows that it needs none.
   */
  joined(run: AgentRun, belt: ToolBelt, renew: () => void, joined: () => void): AgentRun;
  /** The run of a sub-agent with the servers of its own definition; `renew` is given their tools. */
  joinedBy(sub: SubagentServers): AgentRun;
}

export interface SubagentServers {
  readonly run: AgentRun;
  readonly belt: ToolBelt;
  readonly definition: AgentDefinition;
  readonly agentId: string;
  readonly renew: (tools: readonly Tool[]) => void;
}

export interface SessionServersOptions {
  readonly world: Pick<World, 'home'>;
  readonly clock: Clock;
  readonly launch: Launch;
  readonly session: SessionPaths;
  /** Of the member itself. */
  readonly definition: AgentDefinition | undefined;
  /** One line about a server. */
  readonly onProblem: (problem: string) => void;
}

/** Reads which servers there are. Nothing is started before an agent's run begins. */
export async function openSessionServers(options: SessionServersOptions): Promise<SessionServers> {
  const { world, clock, launch, session, definition, onProblem } = options;
  const { environment, settings, cwd } = launch;
  const limits = mcpLimits(environment);
  const found = await configuredServers(world, { cwd, settings, environment });
  const mark = { member: `${agentIdOf(launch.member, launch.team)}:${launch.generation}`, home: launch.home };
  const groupOf = (servers: typeof found.servers, agent?: string, folder = cwd): ServerGroup =>
    createServerGroup({
      servers,
      clock,
      cwd: folder,
      environment,
      mark: { ...mark, ...(agent !== undefined && { agent }) },
      limits,
      logs: join(session.root, 'mcp', ...(agent === undefined ? [] : [agent])),
      outputFolder: session.tasks,
      onProblem,
    });
  const ownOf = (its: AgentDefinition | undefined) => serversOf(its, environment, found.policy, onProblem);
  const own = ownOf(definition);
  const shared = found.servers.filter(({ name }) => !own.some((server) => server.name === name));
  const group = groupOf([...own, ...shared]);
  const place = { folder: session.tasks, maxTokens: limits.outputTokens };
  const resourcesOf = (servers: ServerGroup['servers']) => [
    createListMcpResourcesTool(servers, place),
    createReadMcpResourceTool(servers, place),
  ];
  const around = [...resourcesOf(group.servers), createToolSearchTool({ deferred: () => [], load: () => [] })];
  const tools = () => (group.names.length === 0 ? [] : [...around, ...group.tools()]);
  return {
    names: group.names,
    tools,
    states: () => {
      const known = new Map(group.servers().map((server) => [server.name, server.state()]));
      return group.names.map((name) => ({ name, status: known.get(name) ?? 'pending' }));
    },
    async connected() {
      await group.wait(new AbortController().signal);
      return group.servers().flatMap((server) => (server.state() === 'connected' ? [server.name] : []));
    },
    async call(name, tool, input, signal) {
      const server = group.servers().find((one) => one.name === name && one.state() === 'connected');
      if (!server) throw new Error(`the MCP server "${name}" is not connected`);
      const { content, isError = false } = await server.call(tool, input, signal);
      return { text: content.map(textIn).join('\n').trim(), isError };
    },
    canHave: ({ requiredMcpServers }) => missingServers(requiredMcpServers, group.names).length === 0,
    joined(run, belt, renew, joined) {
      if (group.names.length > 0) return withTurns(run, belt, group, { renew, joined, definition });
      joined();
      return run;
    },
    joinedBy({ run, belt, definition: its, agentId, renew }) {
      const servers = ownOf(its);
      if (servers.length === 0) return its.sharesPrefix ? run : toldOfDeferred(run, belt);
      const theirs = groupOf(servers, agentId, run.state.cwd);
      // Of two servers with one name an agent means its own.
      const all = () => {
        const own = theirs.servers();
        return [...own, ...group.servers().filter(({ name }) => !own.some((server) => server.name === name))];
      };
      return withTurns(run, belt, theirs, { renew: () => renew([...resourcesOf(all), ...theirs.tools()]) });
    },
  };
}

function serversOf(
  definition: AgentDefinition | undefined,
  environment: Readonly<Record<string, string>>,
  policy: McpPolicy,
  onProblem: (problem: string) => void,
) {
  const file = definition?.filename ?? `the agent ${definition?.agentType}`;
  const read = inlineServers(definition?.mcpServers, file);
  const { servers, problems } = expanded(read.servers, environment, policy);
  for (const problem of [...read.problems, ...problems]) onProblem(problem);
  return servers.filter(({ config }) => config.disabled !== true);
}

/**
 * They begin with the run, inside of what is cleaned up on every path, and end with it. What a server lists later, or
 * when it is connected at last, the agent has from its next step on.
 */
function withTurns(
  { prompt, ...run }: AgentRun,
  belt: ToolBelt,
  group: ServerGroup,
  {
    renew,
    joined = () => {},
    definition,
  }: { readonly renew: () => void; readonly joined?: () => void; readonly definition?: AgentDefinition | undefined },
): AgentRun {
  let isFirst = true;
  const known = new Set<string>();
  let listed: readonly unknown[] = [];
  const isNews = () => {
    const before = listed;
    listed = group.servers().map((server) => server.tools());
    return listed.some((tools, index) => tools !== before[index]);
  };
  return {
    ...run,
    arrivals: {
      ...run.arrivals,
      take() {
        const taken = run.arrivals.take();
        // Before the first turn they are still waited for.
        if (isFirst || !isNews()) return taken;
        renew();
        const told = deferredWords(belt, known);
        return told === '' ? taken : [...taken, { text: reminder(told), from: 'other', mail: [], wakes: false }];
      },
    },
    async next(end) {
      group.begin();
      const asked = end === undefined && prompt ? prompt : await run.next?.(end);
      const begins = isFirst;
      isFirst = false;
      if (!asked) {
        if (begins) joined();
        return asked;
      }
      const told: string[] = [];
      if (begins) {
        await group.wait(AbortSignal.any([run.turnSignal(), run.drain]));
        told.push(absentWords(group.servers()), missingWords(definition, group));
      }
      isNews();
      renew();
      if (begins) joined();
      told.push(deferredWords(belt, known));
      return [...asked, ...told.filter((text) => text !== '').map(block)];
    },
    cleanups: [...run.cleanups, () => group.close()],
  };
}

function missingWords(definition: AgentDefinition | undefined, group: ServerGroup): string {
  const connected = group.servers().flatMap((server) => (server.state() === 'connected' ? [server.name] : []));
  const missing = missingServers(definition?.requiredMcpServers, connected);
  return missing.length === 0
    ? ''
    : `You need MCP servers that are not connected: ${missing.join(', ')}. Say so to whoever gives you work.`;
}

/** A fork knows it from what was said before. */
function toldOfDeferred(run: AgentRun, belt: ToolBelt): AgentRun {
  const words = deferredWords(belt, new Set());
  return words === '' || !run.prompt ? run : { ...run, prompt: [...run.prompt, block(words)] };
}

/** Names of tools that can be loaded, each told once. */
function deferredWords(belt: ToolBelt, known: Set<string>): string {
  const names = belt.deferred().flatMap(({ name }) => (known.has(name) ? [] : [name]));
  for (const name of names) known.add(name);
  return names.length === 0 ? '' : `Tools that ToolSearch loads: ${names.join(', ')}`;
}

function block(text: string): ContentBlockParam {
  return { type: 'text', text: reminder(text) };
}

const textIn = (block: unknown) => (isRecord(block) && typeof block['text'] === 'string' ? block['text'] : '');

const reminder = (text: string) => `<system-reminder>\n${text}\n</system-reminder>`;
