import { existsSync } from 'node:fs';
import { isHidden } from '../../team/hidden.js';
import { LEAD } from '../../team/member.js';
import type { TeamSettings } from '../../team/start/launch.js';
import type { MemberRequest } from '../../team/start/slot.js';
import type { Member, TeamFile } from '../../team/teamFile.js';

/** A member of the team once more, in a fresh process: its session, its mail and its worktree go on. */
export function againRequest(member: Member, team: TeamFile, settings: TeamSettings): MemberRequest {
  const { name, agentType = 'general-purpose', tools, color, mode = settings.leadMode } = member;
  return {
    name,
    agentType,
    tools,
    model: member.model ?? settings.model,
    mode,
    // Once its plan was approved its mode is another.
    modeAfterPlan: mode === 'plan' && name !== LEAD ? (member.modeAfterPlan ?? settings.leadMode) : undefined,
    color,
    cwd: workplaceOf(member, team),
    continues: true,
    isHidden: isHidden(team, member),
  };
}

/** Its own folder; the lead's where its worktree is gone, so that it is the worktree that is missed. */
function workplaceOf({ cwd, worktreePath }: Member, { members }: TeamFile): string {
  if (worktreePath === undefined || existsSync(worktreePath)) return cwd;
  return members.find(({ name }) => name === LEAD)?.cwd ?? cwd;
}
