import { join } from 'node:path';
import type { Arrivals } from '../../agent/arrivals.js';
import { createToolBelt } from '../../agent/calls/toolBelt.js';
import { filterTools } from '../../agent/calls/toolFilter.js';
import { withEndHooks } from '../../agent/hooks.js';
import type { AgentState, Gate } from '../../agent/ports.js';
import type { AgentRun } from '../../agent/runAgent.js';
import type { Environment } from '../../agent/systemPrompt.js';
import type { Tool } from '../../agent/tool.js';
import type { SessionPaths } from '../../config/paths.js';
import type { AgentDefinition } from '../../definitions/agent.js';
import type { Clock } from '../../host/clock.js';
import type { Ids } from '../../host/ids.js';
import type { MessageParam, ModelClient, ModelRequest } from '../../model/types.js';
import { narrowed, type PermissionMode } from '../../permissions/mode.js';
import type { AgentCall, AgentPort } from '../../tools/agent.js';
import { createToolSearchTool } from '../../tools/toolSearch.js';
import { openTranscript } from '../../transcript/transcript.js';
import { mainCheckoutOf } from '../../worktree/place.js';
import type { Worktree, WorktreeHooks } from '../../worktree/worktree.js';
import type { SubagentHooks } from '../hooks/subagentHooks.js';
import type { AgentKnowledge, Knowledge } from '../knowledge/knowledge.js';
import { isForNotes } from '../knowledge/memoryTools.js';
import type { SessionServers } from '../mcp/agentServers.js';
import { maxTurnsOf } from '../session/memberFacts.js';
import { transcriptPort } from '../session/transcriptPort.js';
import { filterOf, type Parent, subagentParts } from './subagentParts.js';

/** An agent that has sub-agents. */
export interface AgentParent extends Parent {
  /** A member's name, or an agent's id. */
  readonly id: string;
  /** 0 for a member. */
  readonly depth: number;
  /** Where its working directories begin. */
  readonly folder: string;
  /** The list of tools of its definition, which may say which agents it may start. */
  readonly toolList?: readonly string[] | undefined;
  /** What it knows from files. */
  readonly knowledge?: AgentKnowledge | undefined;
}

/** What tools are bound to. */
export interface ToolScope {
  /** Where its working directories begin. */
  readonly folder: string;
  /** Whether a `cd` lasts. */
  readonly keepsCwd: boolean;
  /** Marks its child processes. */
  readonly agentId?: string;
  readonly agents: AgentPort;
  readonly knowledge?: AgentKnowledge | undefined;
}

export interface SubagentDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly client: ModelClient;
  readonly toolsFor: (scope: ToolScope) => readonly Tool[];
  readonly gateFor: (state: AgentState, definition: AgentDefinition, folder: string) => Gate;
  readonly environment: Environment;
  /** The process's variables. */
  readonly variables: Readonly<Record<string, string>>;
  readonly gitNote: (cwd: string) => Promise<string>;
  readonly knowledgeOf?: Knowledge['of'];
  /** Its run with the MCP servers that its definition brings along. */
  readonly withServers?: SessionServers['joinedBy'];
  readonly session: SessionPaths;
  readonly sessionId: string;
  /** `troupe:<team>:<member>`. */
  readonly userId: string;
  /** What hooks have to do with them. */
  readonly hooks?: { readonly subagents: SubagentHooks; readonly worktrees?: WorktreeHooks | undefined } | undefined;
  /** Responses of the model that each may have. */
  readonly maxTurns?: number | undefined;
}

export interface SubagentRequest {
  readonly agentId: string;
  readonly parent: AgentParent;
  readonly definition: AgentDefinition;
  readonly prompt: string;
  readonly model?: string | undefined;
  readonly mode?: PermissionMode | undefined;
  /** The skill that it carries out: what that allows is allowed to it. */
  readonly skill?: AgentCall['skill'];
  readonly worktree?: Worktree | undefined;
  readonly isBackground: boolean;
  readonly mayStartAgents: boolean;
  readonly arrivals: Arrivals;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Where its own calls of the Agent tool go. */
  readonly agentsOf: (self: () => AgentParent) => AgentPort;
  /** What it was and said before, where it goes on. */
  readonly before?: {
    readonly history: readonly MessageParam[];
    readonly system?: readonly string[] | undefined;
    readonly mode: PermissionMode;
    readonly cwd: string;
  };
}

/**
 * Joins a sub-agent from its parts: a context of its own, in which nothing is shared but what `subagentParts` takes over.
 * Nothing is written, and nothing has been started, when it returns. @throws UserError where it cannot be.
 */
export async function joinSubagent(deps: SubagentDeps, request: SubagentRequest): Promise<AgentRun> {
  const { clock, ids, session, sessionId } = deps;
  const { agentId, parent, definition, worktree, arrivals, signal, before } = request;
  const folder = worktree?.path ?? parent.folder;
  const cwd = before?.cwd ?? worktree?.path ?? parent.state.cwd;

  let self: AgentParent | undefined;
  const agents = request.agentsOf(() => {
    if (!self) throw new Error('unreachable: an agent calls no tool before it has been joined');
    return self;
  });
  const from = definition.sharesPrefix ? parent.knowledge : undefined;
  const knowledge = await deps.knowledgeOf?.({ definition, folder: cwd, from });
  const bound = deps.toolsFor({ folder, keepsCwd: false, agentId, agents, knowledge });
  const joined = await subagentParts(
    definition,
    { prompt: request.prompt, model: request.model },
    {
      parent: { ...parent, tools: () => rebound(parent.tools(), bound, definition.sharesPrefix === true) },
      environment: {
        ...deps.environment,
        cwd,
        ...(worktree && { worktree: { branch: worktree.branch, mainCheckout: mainCheckoutOf(worktree.path) } }),
      },
      variables: deps.variables,
      gitNote: () => deps.gitNote(cwd),
      knowledge,
      isBackground: request.isBackground,
      mayStartAgents: request.mayStartAgents,
    },
  );
  const mode = before ? narrowed(before.mode, parent.state.mode) : request.mode === 'plan' ? 'plan' : joined.state.mode;
  const belt = createToolBelt(joined.tools, {
    search: createToolSearchTool,
    ...(definition.sharesPrefix && { listed: listedBy(parent) }),
  });
  const parts = {
    ...joined,
    tools: belt.tools,
    state: { ...joined.state, mode },
    ...(before && {
      ...(before.system && { system: before.system }),
      model: request.model ?? joined.model,
      history: [...before.history],
      prompt: [{ type: 'text' as const, text: request.prompt }],
    }),
  };
  let lastRequest: ModelRequest | undefined;
  self = {
    id: agentId,
    depth: parent.depth + 1,
    folder,
    toolList: definition.tools,
    model: parts.model,
    state: parts.state,
    tools: () => parts.tools,
    history: () => parts.history,
    readLedger: parts.readLedger,
    lastRequest: () => lastRequest,
    effort: parent.effort,
    isFork: definition.sharesPrefix === true,
    knowledge,
  };
  if (request.skill) knowledge?.carriesOut(parts.state, request.skill);
  const drain = new AbortController().signal;
  const hooked = deps.hooks?.subagents.of({ agentId, definition, state: parts.state });
  const atEnd = hooked && withEndHooks(undefined, hooked.atEnd, () => signal, drain);
  const path = join(session.agents, `${agentId}.jsonl`);
  const transcript = openTranscript(path, { sessionId, agentId, clock, ids });
  const run: AgentRun = {
    ...parts,
    ...maxTurnsOf(joined, deps.maxTurns),
    client: deps.client,
    userId: `${deps.userId}/${agentId}`,
    gate: deps.gateFor(parts.state, definition, folder),
    transcript: transcriptPort(transcript, before ? [] : parts.history),
    arrivals,
    delivered: async () => {},
    publish(sent) {
      lastRequest = sent;
    },
    turnSignal: () => signal,
    // What was sent to it while it wrote its last words is answered too.
    next: async (end) => (end?.reason === 'done' && arrivals.wakes() ? [] : atEnd?.(end)),
    drain,
    hooks: hooked?.port,
    cleanups: [() => transcript.close()],
  };
  knowledge?.joined(run);
  const renew = (more: readonly Tool[]) => {
    const theirs = filterTools(more, filterOf(definition, request));
    const others = joined.tools.filter(({ name }) => !theirs.some((tool) => tool.name === name));
    belt.renew([...others, ...theirs]);
  };
  return deps.withServers?.({ run, belt, definition, agentId, renew }) ?? run;
}

/** What the model of an agent has been sent. */
function listedBy({ tools }: Parent): string[] {
  return tools().flatMap(({ name, deferred }) => (deferred ? [] : [name]));
}

/** The parent's tools, bound to whoever has them now; for a shared prefix as the parent's model sees them. */
function rebound(parent: readonly Tool[], bound: readonly Tool[], sharesPrefix: boolean): Tool[] {
  // What its parent has for its notes alone is no tool for others.
  return parent.flatMap((tool) => {
    if (isForNotes(tool)) return sharesPrefix ? [tool] : [];
    const own = bound.find(({ name }) => name === tool.name);
    return [own ? { ...own, ...(sharesPrefix && { schema: tool.schema }) } : (tool.deferred ?? tool)];
  });
}
