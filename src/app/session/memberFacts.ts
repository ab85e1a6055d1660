import type { Environment } from '../../agent/systemPrompt.js';
import type { AgentDefinition } from '../../definitions/agent.js';
import type { Run } from '../../host/run.js';
import type { Effort } from '../../model/types.js';
import type { Launch } from '../../team/launch.js';
import { git, isRepository } from '../../worktree/git.js';

/** Responses of the model that it may have: its definition's limit or the team's, whichever is lower. */
export function maxTurnsOf(definition: AgentDefinition | undefined, limit: number | undefined): { maxTurns?: number } {
  const limits = [definition?.maxTurns, limit].filter((turns) => turns !== undefined);
  return limits.length > 0 ? { maxTurns: Math.min(...limits) } : {};
}

/** Effort: definition > session. No model of the API takes a number. */
export function effortOf(definition: AgentDefinition | undefined, session: Effort | undefined): { effort?: Effort } {
  const effort = typeof definition?.effort === 'string' ? definition.effort : session;
  return effort ? { effort } : {};
}

/** A worktree of ours lies in `<checkout>/.claude/worktrees/<name>`. */
export function mainCheckoutOf({ worktree, cwd }: Launch): string {
  return worktree ? worktree.path.replace(/\/\.claude\/worktrees\/.*$/, '') : cwd;
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
    ...(worktree && { worktree: { branch: worktree.branch, mainCheckout: mainCheckoutOf(launch) } }),
  };
}
