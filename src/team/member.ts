import { COLORS, type Color } from '../util/colors.js';
import { UserError } from '../util/errors.js';
import { checkName, foldName, isSameName } from '../util/names.js';
import { didYouMean } from '../util/text.js';
import type { Member, TeamFile } from './teamFile.js';

/** The name of the lead in every team. */
export const LEAD = 'team-lead';

const LEAD_ALIASES = ['lead', 'main'];
const RESERVED = [LEAD, ...LEAD_ALIASES, 'user', 'human', 'all', 'team', '*'];

/** @throws UserError with the rule that the name breaks. */
export function checkTeamName(name: string): string {
  return checkName('team', name);
}

/** @throws UserError with the rule that the name breaks. */
export function checkNewMemberName(name: string): string {
  if (RESERVED.includes(foldName(name))) {
    throw new UserError(
      `${JSON.stringify(name)} cannot be the name of a member: it is reserved (${RESERVED.join(', ')}).`,
    );
  }
  return checkName('member', name);
}

export function agentIdOf(name: string, team: string): string {
  return `${name}@${team}`;
}

/** The member that a word addresses: `lead` and `main`, in any case, are the lead. */
export function addressed(word: string): string {
  return [LEAD, ...LEAD_ALIASES].includes(foldName(word)) ? LEAD : word;
}

/** The first colour that is not used, then round again. */
export function nextColor(used: readonly string[]): Color {
  const timesUsed = (color: string) => used.filter((other) => other === color).length;
  return COLORS.reduce((best, color) => (timesUsed(color) < timesUsed(best) ? color : best));
}

export function findMember(team: TeamFile, word: string): Member | undefined {
  const name = addressed(word);
  return team.members.find((member) => isSameName(member.name, name));
}

/** @throws UserError that names the nearest and all members. */
export function requireMember(team: TeamFile, word: string): Member {
  const member = findMember(team, word);
  if (member) return member;
  const names = team.members.map(({ name }) => name);
  const teammates = names.filter((name) => name !== LEAD);
  throw new UserError(
    `No member ${JSON.stringify(word)} in ${team.name}.${didYouMean(word, names)} Members: ${teammates.join(', ') || 'none but the lead'}`,
  );
}
