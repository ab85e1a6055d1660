import { join } from 'node:path';
import { createArrivals } from '../agent/arrivals.js';
import type { AgentEvent, TurnEnd } from '../agent/events.js';
import type { AgentState, Gate } from '../agent/ports.js';
import { runAgent } from '../agent/runAgent.js';
import { type Environment, systemPrompt } from '../agent/systemPrompt.js';
import type { Tool } from '../agent/tool.js';
import { filterTools } from '../agent/toolFilter.js';
import type { SessionPaths } from '../config/paths.js';
import type { AgentDefinition } from '../definitions/agent.js';
import { type LoadedAgents, requireAgent } from '../definitions/load.js';
import type { Clock } from '../host/clock.js';
import type { Ids } from '../host/ids.js';
import { resolveModel } from '../model/catalogue.js';
import type { ModelClient } from '../model/types.js';
import { addUsage, NO_USAGE } from '../model/usage.js';
import type { AgentCall } from '../tools/agent.js';
import { createReadLedger } from '../tools/support/readLedger.js';
import { openTranscript } from '../transcript/transcript.js';
import { UserError } from '../util/errors.js';

export interface SubagentDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly client: ModelClient;
  readonly agents: () => Promise<LoadedAgents>;
  readonly parentTools: () => readonly Tool[];
  readonly parentModel: string;
  readonly parentState: AgentState;
  readonly gateFor: (state: AgentState, definition: AgentDefinition) => Gate;
  readonly environment: Environment;
  readonly session: SessionPaths;
  readonly sessionId: string;
  /** `troupe:<team>:<member>`. */
  readonly userId: string;
  /** Usage and cost of each response, to be added to the member's. */
  readonly spent: (response: Extract<AgentEvent, { type: 'assistant' }>) => Promise<void>;
  readonly onEvent: (event: AgentEvent) => void;
}

const BUILT_IN_DEFAULT = 'general-purpose';

/** Runs a sub-agent to its end, with a context of its own, and returns what its caller's model reads. */
export async function runSubagent(deps: SubagentDeps, call: AgentCall, signal: AbortSignal): Promise<string> {
  const { clock, ids, session } = deps;
  const definition = requireAgent(await deps.agents(), call.subagentType ?? BUILT_IN_DEFAULT);
  const agentId = `agent-${ids.hex(16)}`;
  const model = resolveModel(
    call.model ?? (definition.model && definition.model !== 'inherit' ? definition.model : deps.parentModel),
  );
  const state: AgentState = { cwd: deps.parentState.cwd, mode: deps.parentState.mode };
  const transcript = openTranscript(join(session.agents, `${agentId}.jsonl`), {
    sessionId: deps.sessionId,
    agentId,
    clock,
    ids,
  });
  const tools = filterTools(deps.parentTools(), {
    kind: 'sub-agent',
    tools: definition.tools,
    disallowedTools: definition.disallowedTools,
  });
  const started = clock.monotonic();
  let usage = NO_USAGE;
  let toolUses = 0;

  const agent = runAgent({
    client: deps.client,
    model,
    system: systemPrompt({
      definition: definition.getSystemPrompt({ toolNames: tools.map(({ name }) => name) }),
      definitionAppends: definition.appendSystemPrompt,
      environment: { ...deps.environment, cwd: state.cwd, model },
    }),
    userId: `${deps.userId}/${agentId}`,
    history: [],
    prompt: [{ type: 'text', text: call.prompt }],
    tools,
    gate: deps.gateFor(state, definition),
    state,
    readLedger: createReadLedger(),
    transcript: { append: async (type, message) => void (await transcript.append({ type, message })) },
    arrivals: createArrivals(),
    delivered: async () => {},
    ...(definition.maxTurns !== undefined && { maxTurns: definition.maxTurns }),
    turnSignal: () => signal,
    drain: new AbortController().signal,
    cleanups: [() => transcript.close()],
  });
  let end: TurnEnd;
  try {
    for (;;) {
      const { done, value } = await agent.next();
      if (done) {
        end = value;
        break;
      }
      if (value.type === 'assistant') {
        usage = addUsage(usage, value.usage);
        await deps.spent(value);
      }
      if (value.type === 'tool_started') toolUses++;
      if (value.type === 'tool_denied') deps.onEvent(value);
    }
  } finally {
    // Where counting failed, it cleans up all the same.
    await agent.return({ reason: 'aborted', text: '' });
  }
  if (end.reason === 'failed') throw new UserError(`The agent failed: ${end.error.message}`, 1, { cause: end.error });
  if (end.reason === 'aborted') throw new UserError('The agent was ended before it was done.', 1);
  const partial = end.reason === 'max-turns' ? '\n[partial: it had all the turns that it may have]' : '';
  const text =
    end.text || `[partial: it ended without a word; its transcript is in ${join(session.agents, `${agentId}.jsonl`)}]`;
  if (definition.oneShot) return `${text}${partial}`;
  const seconds = Math.round((clock.monotonic() - started) / 100) / 10;
  return `${text}${partial}\n\n[${agentId}: ${toolUses} tool uses, ${usage.input + usage.output + usage.cacheRead + usage.cacheWrite} tokens, ${seconds} s]`;
}
