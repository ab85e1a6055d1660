import { UserError } from '../util/errors.js';

/** How many sub-agents a session may have: below each other, at once, and in all. */
export interface AgentLimits {
  readonly depth: number;
  readonly concurrent: number;
  readonly perSession: number;
}

export const DEFAULT_LIMITS: AgentLimits = { depth: 1, concurrent: 20, perSession: 200 };

/** One agent's place among those that run. */
export interface Slot {
  /** Its agent has ended; told twice it counts once. */
  free(): void;
}

export interface AgentSlots {
  /** @throws UserError that names the limit, or says that this call has started its agent already. */
  take(toolUseId: string, depth: number): Slot;
}

/** @param before how many the session has had, and by which calls. */
export function createAgentSlots(limits: AgentLimits, before: readonly string[] = []): AgentSlots {
  const calls = new Set(before);
  let started = before.length;
  let running = 0;
  return {
    take(toolUseId, depth) {
      if (depth > limits.depth)
        throw new UserError(
          `Agents may be nested ${limits.depth} deep (setting agentLimits.depth): do it with your own tools.`,
        );
      if (running >= limits.concurrent)
        throw new UserError(
          `${running} agents are running, which is all that may at once (setting agentLimits.concurrent): wait for one.`,
        );
      if (started >= limits.perSession)
        throw new UserError(
          `This session has had ${started} agents, which is all that it may have (setting agentLimits.perSession).`,
        );
      if (calls.has(toolUseId)) throw new UserError('This very call has started its agent already.');
      calls.add(toolUseId);
      started++;
      running++;
      let isFree = false;
      return {
        free() {
          if (!isFree) running--;
          isFree = true;
        },
      };
    },
  };
}
