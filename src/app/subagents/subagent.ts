import { join } from 'node:path';
import type { Arrivals } from '../../agent/arrivals.js';
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
import type { AgentPort } from '../../tools/agent.js';
import { openTranscript } from '../../transcript/transcript.js';
import type { Worktree } from '../../worktree/worktree.js';
import { transcriptPort } from '../session/transcriptPort.js';
import { type Parent, subagentParts } from './subagentParts.js';

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
  readonly session: SessionPaths;
  readonly sessionId: string;
  /** `troupe:<team>:<member>`. */
  readonly userId: string;
}

export interface SubagentRequest {
  readonly agentId: string;
  readonly parent: AgentParent;
  readonly definition: AgentDefinition;
  readonly prompt: string;
  readonly model?: string | undefined;
  readonly mode?: PermissionMode | undefined;
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
  const bound = deps.toolsFor({ folder, keepsCwd: false, agentId, agents });
  const joined = await subagentParts(
    definition,
    { prompt: request.prompt, model: request.model },
    {
      parent: { ...parent, tools: () => rebound(parent.tools(), bound, definition.sharesPrefix === true) },
      environment: { ...deps.environment, cwd, ...(worktree && { worktree: placeOf(worktree) }) },
      variables: deps.variables,
      gitNote: () => deps.gitNote(cwd),
      isBackground: request.isBackground,
      mayStartAgents: request.mayStartAgents,
    },
  );
  const mode = before ? narrowed(before.mode, parent.state.mode) : request.mode === 'plan' ? 'plan' : joined.state.mode;
  const parts = {
    ...joined,
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
  };
  const path = join(session.agents, `${agentId}.jsonl`);
  const transcript = openTranscript(path, { sessionId, agentId, clock, ids });
  return {
    ...parts,
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
    next: async (end) => (end?.reason === 'done' && arrivals.wakes() ? [] : undefined),
    drain: new AbortController().signal,
    cleanups: [() => transcript.close()],
  };
}

/** The parent's tools, bound to whoever has them now; for a shared prefix as the parent's model sees them. */
function rebound(parent: readonly Tool[], bound: readonly Tool[], sharesPrefix: boolean): Tool[] {
  return parent.map((tool) => {
    const own = bound.find(({ name }) => name === tool.name);
    return own ? { ...own, ...(sharesPrefix && { schema: tool.schema }) } : tool;
  });
}

/** A worktree of ours lies in `<checkout>/.claude/worktrees/<name>`. */
function placeOf({ path, branch }: Worktree): NonNullable<Environment['worktree']> {
  return { branch, mainCheckout: path.replace(/\/\.claude\/worktrees\/.*$/, '') };
}
