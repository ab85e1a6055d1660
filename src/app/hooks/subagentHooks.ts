import { join } from 'node:path';
import type { Arrivals } from '../../agent/arrivals.js';
import type { EndHooks, HooksPort } from '../../agent/hooks.js';
import type { AgentState } from '../../agent/ports.js';
import type { AgentDefinition } from '../../definitions/agent.js';
import type { Clock } from '../../host/clock.js';
import type { AgentRecord } from '../../transcript/taskFiles.js';
import { hooksPort } from './agentHooks.js';
import type { HookedAgent, SessionHooks } from './sessionHooks.js';

export interface StartingAgent {
  readonly agentId: string;
  readonly definition: AgentDefinition;
  readonly state: AgentState;
}

/** The hooks of the sub-agents of one session. */
export interface SubagentHooks {
  /** What concerns one that is being joined; nothing where there is no hook for it. */
  of(agent: StartingAgent): { readonly port: HooksPort | undefined; readonly atEnd: EndHooks } | undefined;
  /** One that is running and has hooks, or the member itself. */
  agentOf(agentId: string | undefined): HookedAgent;
  /** `SubagentStart`. What it returns sees to the one `SubagentStop` on every path on which there was none. */
  started(
    record: Pick<AgentRecord, 'agentId' | 'agentType'>,
    beside: { readonly arrivals: Arrivals; readonly signal: AbortSignal },
  ): Promise<() => Promise<void>>;
}

/** What a hook may still take when its agent was ended, for somebody waits for that. */
const AFTER_END_MS = 5_000;

export function createSubagentHooks(
  hooks: SessionHooks,
  { agents, hasPerson, clock }: { readonly agents: string; readonly hasPerson: boolean; readonly clock: Clock },
): SubagentHooks {
  const running = new Map<string, HookedAgent>();

  const stop = (agent: HookedAgent, text: string, isAgain: boolean, more: { signal?: AbortSignal; mostMs?: number }) =>
    hooks.fire(agent, {
      event: 'SubagentStop',
      subject: agent.agentType,
      fields: {
        stop_hook_active: isAgain,
        agent_transcript_path: join(agents, `${agent.agentId}.jsonl`),
        last_assistant_message: text,
        background_tasks: [],
        session_crons: [],
      },
      ...more,
    });

  return {
    of({ agentId, definition, state }) {
      const own = hooks.ownOf(definition);
      // Of its definition `Stop` means its own end, which is that of a sub-agent.
      const agent: HookedAgent = { agentId, agentType: definition.agentType, state, own: own && asSubagents(own) };
      if (!hooks.concern(agent)) return undefined;
      running.set(agentId, agent);
      return {
        port: hooksPort({ hooks, agent: () => agent, hasPerson }),
        atEnd: {
          async onDone({ text }, isAgain, signal) {
            const { block, stop: ends } = await untilLate(clock, signal, (late) =>
              stop(agent, text, isAgain, { signal: late }),
            );
            if (ends === undefined && block !== undefined) return block;
            running.delete(agentId);
            return undefined;
          },
          onIgnored(reason) {
            running.delete(agentId);
            hooks.note(`${agent.agentType} ends although a hook goes on saying: ${reason}`);
          },
        },
      };
    },
    agentOf: (agentId) => running.get(agentId ?? '') ?? hooks.main(),
    async started({ agentId }, { arrivals, signal }) {
      const agent = running.get(agentId);
      if (!agent) return async () => {};
      const { context } = await untilLate(clock, signal, (late) =>
        hooks.fire(agent, { event: 'SubagentStart', subject: agent.agentType, signal: late }),
      );
      if (context !== undefined)
        arrivals.add({ text: `<hook>\n${context}\n</hook>`, from: 'other', mail: [], wakes: false });
      return async () => {
        if (running.delete(agentId)) await stop(agent, '', false, { mostMs: AFTER_END_MS });
      };
    },
  };
}

/** A hook that has begun to hear of a start or a stop hears all of it, also when the agent is ended meanwhile. */
async function untilLate<T>(clock: Clock, signal: AbortSignal, work: (late: AbortSignal) => Promise<T>): Promise<T> {
  const [late, over] = [new AbortController(), new AbortController()];
  const count = () =>
    void clock.sleep(AFTER_END_MS, over.signal).then(
      () => late.abort(),
      () => {},
    );
  if (signal.aborted) count();
  else signal.addEventListener('abort', count, { once: true, signal: over.signal });
  try {
    return await work(late.signal);
  } finally {
    over.abort();
  }
}

function asSubagents(own: NonNullable<HookedAgent['own']>): NonNullable<HookedAgent['own']> {
  const { Stop: stop = [], ...events } = own.events;
  return { ...own, events: { ...events, SubagentStop: [...(events['SubagentStop'] ?? []), ...stop] } };
}
