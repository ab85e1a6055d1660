import type { TeamPlan } from '../app/start/planTeam.js';

/** A team that would start, for a person. */
export function planLines({ name, cwd, settings, members, expanded, replaces }: TeamPlan, backend: string): string {
  return [
    `team ${name} (${backend}) in ${cwd}${replaces ? ', in place of a dead one' : ''}`,
    `  lead: ${settings.model}, mode ${settings.leadMode}`,
    ...members.map(
      (member) =>
        `  ${member.name}: ${member.agentType}, ${member.model}, mode ${member.modeAfterPlan ? `plan, then ${member.modeAfterPlan}` : member.mode}${member.worktree ? ', in a worktree' : ''}`,
    ),
    ...expanded.tasks.map(
      ({ subject, owner }, index) => `  task ${index + 1}: ${subject}${owner === undefined ? '' : ` (${owner})`}`,
    ),
  ].join('\n');
}
