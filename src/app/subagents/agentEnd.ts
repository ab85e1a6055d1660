import type { Arrivals } from '../../agent/arrivals.js';
import type { Task } from '../../agent/background/background.js';
import type { AgentEvent } from '../../agent/events.js';
import type { AgentRun } from '../../agent/runAgent.js';
import type { Clock } from '../../host/clock.js';
import type { MessageParam, ModelClient } from '../../model/types.js';
import type { AgentRecord, TaskFiles } from '../../transcript/taskFiles.js';
import type { SubagentHooks } from '../hooks/subagentHooks.js';
import { withSummaries } from './agentSummaries.js';
import { driveAgent } from './driveAgent.js';
import type { Isolation } from './isolation.js';
import type { SubagentSettings } from './subagentSettings.js';

export interface AgentEndDeps {
  readonly clock: Clock;
  readonly client: ModelClient;
  readonly settings: SubagentSettings;
  readonly files: TaskFiles;
  readonly isolation: Isolation;
  /** Usage and cost of each response, to be added to the member's. */
  readonly spent: (response: Extract<AgentEvent, { type: 'assistant' | 'compacted' }>) => Promise<void>;
  readonly onEvent: (event: AgentEvent) => void;
  /** An agent starts (`SubagentStart`). What it returns is called when it has ended, exactly once on every path. Never throws. */
  readonly onStart?: SubagentHooks['started'] | undefined;
  /** A warning about what an agent that has ended did, or nothing. */
  readonly classify?:
    | ((agent: AgentRecord, history: readonly MessageParam[], signal: AbortSignal) => Promise<string | undefined>)
    | undefined;
  /** A sub-agent has ended: its child processes go. */
  readonly endChildren: (agentId: string) => Promise<void>;
}

/** An agent that has been started, with what it holds. */
export interface StartedAgent {
  readonly record: AgentRecord;
  readonly run: AgentRun;
  readonly task: Task;
  readonly toolUseId: string;
  readonly arrivals: Arrivals;
  /** Where whoever has it works: its worktree is given back from there. */
  readonly parentFolder: string;
  /** Gives back its place in its folder, and its place among those that run. */
  readonly free: () => void;
}

/** Goes with an agent to its end, and takes back what it has. Never throws for what the agent does. */
export async function toAgentEnd(deps: AgentEndDeps, started: StartedAgent) {
  const { clock, settings, files, classify } = deps;
  const { record, run, task, toolUseId, arrivals, parentFolder, free } = started;
  const { worktree } = record;
  const observe = async (event: AgentEvent) => {
    if (event.type === 'assistant' || event.type === 'compacted') await deps.spent(event);
    deps.onEvent(event.type === 'tool_denied' ? event : { type: 'subagent', toolUseId, event });
  };
  const stopped = await deps.onStart?.(record, { arrivals, signal: task.signal });
  // What is its own ends first, for a server that is killed would be connected anew.
  const cleanups = [() => deps.endChildren(record.agentId), ...run.cleanups, ...(stopped ? [stopped] : [])];
  const asked = withSummaries({ ...run, cleanups }, task, deps);
  const beside = settings.summaries ? asked.beside : undefined;
  const outcome = await driveAgent(asked.run, task, { clock, idleMs: settings.idleMs, observe, beside });
  const isStopped = outcome.status === 'killed' || outcome.status === 'timed_out';
  // What was said to it before it was stopped is not what it goes on with.
  if (isStopped) arrivals.take();
  free();
  await files.saveAgent({ ...record, status: outcome.status, endedAt: clock.now() }).catch(() => {});
  const facts = await task.end(outcome, {
    ...(classify && { classify: (signal) => classify(record, run.history, signal) }),
    ...(worktree && {
      worktree: async () => ((await deps.isolation.release(worktree, parentFolder)) ? undefined : worktree),
    }),
  });
  return { outcome, facts };
}
