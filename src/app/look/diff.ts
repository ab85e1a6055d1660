import { temporaryFolder } from '../../config/env.js';
import { findMember, LEAD, requireMember } from '../../team/member.js';
import { type Member, type TeamFile, worktreeOf } from '../../team/teamFile.js';
import { ExitCode, UserError } from '../../util/errors.js';
import { shellLine } from '../../util/text.js';
import { inGitsWords } from '../../worktree/git.js';
import { type Patches, type PatchForm, patchesOf } from '../../worktree/patch.js';
import { type Work, workIn } from '../../worktree/work.js';
import type { Worktree } from '../../worktree/worktree.js';
import type { World } from '../services.js';
import { chooseAnyTeam } from './anyTeam.js';

/** What a member's worktree has changed since it began. */
export interface MemberDiff extends Work {
  readonly team: string;
  readonly member: string;
  /** Absent where only names were asked for. */
  readonly patch?: Patches;
}

/** One member's work, or that of all who have a worktree; `problems` are about those of them that cannot be looked at. */
export async function diffOf(
  world: Pick<World, 'home' | 'run'>,
  given: string | undefined,
  { member: word, form }: { readonly member: string | undefined; readonly form: PatchForm | 'names' },
): Promise<{ readonly diffs: readonly MemberDiff[]; readonly problems: readonly string[] }> {
  const { team } = await chooseAnyTeam(world, given);
  const look = async (member: Member): Promise<MemberDiff> => {
    const work = await workOf(world, team, member);
    const patch =
      form === 'names' ? undefined : await patchesOf(world.run, work, { form, temporary: temporaryFolder() });
    return { team: team.name, member: member.name, ...work, ...(patch && { patch }) };
  };
  if (word !== undefined) return { diffs: [await inGitsWords(look(requireMember(team, word)))], problems: [] };
  const members = team.members.filter(({ worktreePath }) => worktreePath !== undefined);
  const lead = findMember(team, LEAD);
  if (members.length === 0)
    throw new UserError(`Nobody in ${team.name} has a worktree.${lead ? ` ${placeWords(lead)}` : ''}`);
  const diffs: MemberDiff[] = [];
  const problems: string[] = [];
  for (const member of members) {
    try {
      diffs.push(await inGitsWords(look(member)));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      problems.push(error.message);
    }
  }
  return { diffs, problems };
}

/** What a member has done in its worktree. @throws UserError where it has none that git knows. */
export async function workOf({ run }: Pick<World, 'run'>, team: TeamFile, member: Member): Promise<Work> {
  return workIn(worktreeToLookAt(team, member), run);
}

/** @throws UserError where a member has no worktree, or has it no more. */
export function worktreeToLookAt(team: TeamFile, member: Member): Worktree {
  const worktree = worktreeOf(member);
  if (worktree === undefined) throw new UserError(`${member.name} has no worktree of its own. ${placeWords(member)}`);
  if (!member.worktreeRemoved) return worktree;
  throw new UserError(
    `The worktree of ${member.name} held nothing more when ${team.name} was taken down, and was removed: ${worktree.path}`,
    ExitCode.failed,
  );
}

function placeWords({ name, cwd }: Member): string {
  return `${name} works in ${cwd}; look with: ${shellLine(['git', '-C', cwd, 'diff'])}`;
}
