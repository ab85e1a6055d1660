import { type AgentLimits, DEFAULT_LIMITS } from '../../agent/limits.js';
import type { Caller } from '../../agent/route.js';
import type { Launch } from '../../team/start/launch.js';
import { isOn } from '../knowledge/agentTypes.js';

/** What the environment and the settings say about sub-agents and background tasks. */
export interface SubagentSettings {
  readonly limits: AgentLimits;
  readonly background: Caller['background'];
  readonly forkMode: boolean;
  readonly isCoordinator: boolean;
  /** Milliseconds after which an agent in the foreground goes on in the background. */
  readonly autoBackgroundMs: number | undefined;
  /** Milliseconds without any sign after which an agent is ended. */
  readonly idleMs: number;
  readonly maxOutputBytes: number | undefined;
  /** Whether agents are asked now and then what they are doing. */
  readonly summaries: boolean;
}

const AUTO_BACKGROUND_MS = 120_000;
const IDLE_S = 600;

/** @throws nothing: a number that is none counts as not given. */
export function subagentSettings({ environment, settings, backend, role }: Launch): SubagentSettings {
  const on = (name: string) => isOn(environment, name);
  const number = (name: string) => {
    const value = Number(environment[name] || Number.NaN);
    return Number.isFinite(value) && value > 0 ? value : undefined;
  };
  const background: Caller['background'] =
    backend === 'in-process' && role === 'teammate'
      ? {
          refused:
            'A teammate inside its lead’s process cannot have agents in the background: leave run_in_background out, and wait for the result.',
        }
      : on('TROUPE_DISABLE_BACKGROUND_TASKS')
        ? 'off'
        : 'on';
  const { depth, concurrent, perSession } = settings.agentLimits ?? {};
  return {
    limits: {
      depth: depth ?? DEFAULT_LIMITS.depth,
      concurrent: concurrent ?? DEFAULT_LIMITS.concurrent,
      perSession: perSession ?? DEFAULT_LIMITS.perSession,
    },
    background,
    forkMode: on('TROUPE_FORK_SUBAGENT'),
    isCoordinator: on('TROUPE_COORDINATOR_MODE'),
    autoBackgroundMs: background === 'on' && on('TROUPE_AUTO_BACKGROUND_TASKS') ? AUTO_BACKGROUND_MS : undefined,
    idleMs: (number('TROUPE_AGENT_IDLE_TIMEOUT') ?? IDLE_S) * 1000,
    maxOutputBytes: number('TROUPE_TASK_OUTPUT_MAX'),
    summaries: on('TROUPE_AGENT_SUMMARIES'),
  };
}

/** Whether a member's own commands may run in the background. */
export function hasBackground({ environment }: Pick<Launch, 'environment'>): boolean {
  return !isOn(environment, 'TROUPE_DISABLE_BACKGROUND_TASKS');
}
