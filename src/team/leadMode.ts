import { isWider, type PermissionMode } from '../permissions/mode.js';
import { LEAD, requireMember } from './member.js';
import { isMemberAlive, sendProtocol, type TeamPlace } from './messages.js';
import { changeMember, openTeamFile, type TeamFile } from './teamFile.js';

/** The mode that no member's is wider than at this moment: what a person has set at the lead, or what the team began with. */
export function leadModeOf({ members, settings }: TeamFile): PermissionMode | undefined {
  return members.find(({ name }) => name === LEAD)?.mode ?? settings?.leadMode;
}

/** Members read it from the TeamFile, those that run within a second. */
export async function recordLeadMode({ paths }: TeamPlace, mode: PermissionMode): Promise<void> {
  await openTeamFile(paths.config).update((team) => changeMember(team, LEAD, (lead) => ({ ...lead, mode })));
}

/** Asks a member to change its mode, in the user's name. Returns what is to be expected. @throws UserError for an unknown one. */
export async function setMemberMode(
  place: TeamPlace,
  team: TeamFile,
  member: string,
  mode: PermissionMode,
): Promise<string> {
  const { name } = requireMember(team, member);
  await sendProtocol(place, { from: 'user' }, name, 'mode_set', { mode });
  const limit = leadModeOf(team);
  const narrower =
    name !== LEAD && limit !== undefined && isWider(mode, limit)
      ? ` It is not wider than the lead's, which is ${limit}: see /mode ${mode}.`
      : '';
  const later = (await isMemberAlive(place, name)) ? '' : ' It is not running, and reads it when it is started again.';
  return `Asked ${name} for mode ${mode}.${narrower}${later}`;
}
