import type { FilterRequest } from '../../agent/calls/toolFilter.js';
import type { Environment } from '../../agent/systemPrompt.js';
import type { AgentDefinition } from '../../definitions/agent.js';
import { toolListOf } from '../../definitions/mcp.js';
import type { Run } from '../../host/run.js';
import type { Effort } from '../../model/types.js';
import type { Launch } from '../../team/start/launch.js';
import { git, isRepository } from '../../worktree/git.js';
import { mainCheckoutOf } from '../../worktree/place.js';

/** Responses of the model that it may have: its definition's limit or the team's, whichever is lower. */
export function maxTurnsOf(
  definition: Pick<AgentDefinition, 'maxTurns'> | undefined,
  limit: number | undefined,
): { maxTurns?: number } {
  const limits = [definition?.maxTurns, limit].filter((turns) => turns !== undefined);
  return limits.length > 0 ? { maxTurns: Math.min(...limits) } : {};
}

/** Effort: definition > session. No model of the API takes a number. */
export function effortOf(definition: AgentDefinition | undefined, session: Effort | undefined): { effort?: Effort } {
  const effort = typeof definition?.effort === 'string' ? definition.effort : session;
  return effort ? { effort } : {};
}

/** Which of all tools it has. */
export function toolFilterOf(
  { role, tools, modeAfterPlan }: Launch,
  definition: AgentDefinition | undefined,
): FilterRequest {
  return {
    kind: role,
    tools: tools ?? (definition && toolListOf(definition)),
    disallowedTools: definition?.disallowedTools,
    plans: modeAfterPlan !== undefined,
  };
}

/** Where it works, in the words of its system prompt. */
export async function environmentOf(run: Run, launch: Launch): Promise<Environment> {
  const { cwd, model, worktree } = launch;
  return {
    cwd,
    isRepository: await isRepository(git(run, cwd)),
    platform: process.platform,
    shell: 'bash',
    model,
    ...(worktree && { worktree: { branch: worktree.branch, mainCheckout: mainCheckoutOf(worktree.path) } }),
  };
}
