import type { AgentDefinition } from '../definitions/agent.js';
import { defaultAgentType } from '../definitions/builtin/all.js';
import { type LoadedAgents, requireAgent } from '../definitions/load.js';
import type { MessageParam } from '../model/types.js';
import { matchesWildcards, type Rule } from '../permissions/rule.js';
import { UserError } from '../util/errors.js';
import { refuseForkInFork } from './fork.js';
import type { AgentSlots, Slot } from './limits.js';

/** What decides where a call of the Agent tool goes. */
export interface RouteCall {
  readonly toolUseId: string;
  readonly subagentType?: string | undefined;
  readonly name?: string | undefined;
  readonly teamName?: string | undefined;
  readonly runInBackground?: boolean | undefined;
  readonly isolation?: 'worktree' | undefined;
}

/** Who calls. */
export interface Caller {
  /** The team that it can bring members into; absent for teammates and sub-agents, for the roster is flat. */
  readonly team?: string | undefined;
  /** 0 for a member. */
  readonly depth: number;
  readonly agents: LoadedAgents;
  readonly denyRules: readonly Rule[];
  /** Its own list of tools, which may say `Agent(a, b)`; absent where it has all. */
  readonly tools?: readonly string[] | undefined;
  /** It is a fork, by its record. */
  readonly isFork: boolean;
  /** Its conversation. */
  readonly history: readonly MessageParam[];
  /** Every call without a type is a fork. */
  readonly forkMode: boolean;
  /** Every call is in the background. */
  readonly isCoordinator: boolean;
  /** `off`: what asks for it runs in the foreground; a text: asking for it is an error that says this. */
  readonly background: 'on' | 'off' | { readonly refused: string };
  /** Waits for servers that are about to be connected. */
  readonly mcpServers: () => Promise<readonly string[]>;
  readonly slots: AgentSlots;
}

export type Route =
  | { readonly to: 'teammate' }
  | {
      readonly to: 'sub-agent';
      readonly definition: AgentDefinition;
      readonly isFork: boolean;
      readonly isolation?: 'worktree' | undefined;
      readonly isBackground: boolean;
      /** To be given back when the agent has ended, or was not started after all. */
      readonly slot: Slot;
    };

const FORK = 'fork';

/** Where a call goes. Nothing has been started when it returns, and nothing is left when it throws. @throws UserError. */
export async function route(call: RouteCall, caller: Caller): Promise<Route> {
  const isFork = call.subagentType === FORK;
  if (call.teamName !== undefined && call.teamName !== caller.team) {
    throw new UserError(
      caller.team === undefined
        ? `There are no teammates to be had here, so "${call.teamName}" cannot get one: only a lead brings members in.`
        : `You are in the team "${caller.team}": members of "${call.teamName}" are its own lead's to start.`,
    );
  }
  if (call.name !== undefined && caller.team !== undefined && !isFork) return { to: 'teammate' };

  const definition = typeOf(call, caller);
  if (definition.agentType === FORK) refuseForkInFork(caller);
  await requireServers(definition, caller);
  const isolation = call.isolation ?? isolationOf(definition);
  const isBackground = background(call, definition, caller);
  const slot = caller.slots.take(call.toolUseId, caller.depth + 1);
  return { to: 'sub-agent', definition, isFork: definition.agentType === FORK, isolation, isBackground, slot };
}

function typeOf({ subagentType }: RouteCall, caller: Caller): AgentDefinition {
  const { agents, denyRules, tools, forkMode } = caller;
  const type = subagentType ?? (forkMode && agents.agents.has(FORK) ? FORK : defaultAgentType(agents.agents));
  const definition = requireAgent(agents, type);
  const denied = denyRules.find(
    ({ tool, specifier }) => tool === 'Agent' && (specifier === undefined || matchesWildcards(specifier, type)),
  );
  if (denied) {
    throw new UserError(
      `Agents of type "${type}" are denied by the permission rule Agent(${denied.specifier ?? '*'}).`,
    );
  }
  const allowed = allowlistOf(tools);
  if (allowed && !allowed.includes(type))
    throw new UserError(`You may only start agents of these types: ${allowed.join(', ')}; not "${type}".`);
  return definition;
}

/** The types in `Agent(a, b)`, joined; `undefined` where every type may be started. */
function allowlistOf(tools: readonly string[] = []): readonly string[] | undefined {
  const entries = tools.filter((entry) => /^Agent(\(|$)/.test(entry));
  if (entries.length === 0 || entries.includes('Agent')) return undefined;
  return entries.flatMap((entry) =>
    entry
      .slice('Agent('.length, -1)
      .split(',')
      .map((type) => type.trim())
      .filter((type) => type !== ''),
  );
}

async function requireServers({ agentType, requiredMcpServers = [] }: AgentDefinition, caller: Caller): Promise<void> {
  if (requiredMcpServers.length === 0) return;
  const connected = (await caller.mcpServers()).map((name) => name.toLowerCase());
  const missing = requiredMcpServers.filter((wanted) => !connected.some((name) => name.includes(wanted.toLowerCase())));
  if (missing.length > 0)
    throw new UserError(`The agent "${agentType}" needs MCP servers that are not connected: ${missing.join(', ')}.`);
}

function isolationOf({ agentType, isolation }: AgentDefinition): 'worktree' | undefined {
  if (isolation === 'remote') throw new UserError(`The agent "${agentType}" wants a remote host, and there is none.`);
  return isolation;
}

function background({ runInBackground }: RouteCall, definition: AgentDefinition, caller: Caller): boolean {
  const { background, isCoordinator, forkMode } = caller;
  if (background === 'off') return false;
  if (background !== 'on') {
    if (runInBackground) throw new UserError(background.refused);
    return false;
  }
  // What holds for every call is nothing that a call can say no to.
  return (
    isCoordinator || forkMode || (runInBackground ?? (definition.background === true || definition.agentType === FORK))
  );
}
