import type { WantedBackend } from '../../panes/choose.js';
import { UserError } from '../../util/errors.js';
import { refuseMembers } from '../look/teams.js';
import type { World } from '../services.js';
import { type BackendWish, decideBackend } from '../start/backends.js';
import { type ShownTeam, showTeam } from '../start/showTeam.js';
import { findTeam } from './findTeam.js';
import { planResume } from './resumePlan.js';
import { resumeTeam } from './resumeTeam.js';
import type { Returned } from './returnMembers.js';

export interface ResumeOptions {
  readonly team: string | undefined;
  /** Where it was before, unless said. */
  readonly backend: WantedBackend | undefined;
  readonly detach: boolean;
  readonly isTerminal: boolean;
  readonly note: (line: string) => void;
}

export interface Resumed extends ShownTeam {
  /** Where the team was archived before. */
  readonly from?: string;
  readonly members: readonly Returned[];
}

/** Goes on with a team for a person. Resolves as `up` does. @throws UserError */
export async function resume(world: World, options: ResumeOptions): Promise<Resumed> {
  refuseMembers('resume');
  const { note, detach, isTerminal } = options;
  const found = await findTeam(world, options.team);
  const { team } = found;
  if (!isTerminal && !detach) {
    const run = team.leadSessionId === undefined ? '' : ` Without either: troupe run --resume ${team.leadSessionId}`;
    throw new UserError(`"troupe resume" needs a terminal, or --detach.${run}`);
  }
  const plan = await planResume(world, found, { interactive: true });
  const wasInIterm2 = team.members.some(({ backendType }) => backendType === 'iterm2');
  const wasHere = team.tmux === undefined && !wasInIterm2 && !detach;
  const wanted = options.backend ?? (wasHere ? 'in-process' : 'auto');
  const wish: BackendWish = { wanted, command: 'up', detach, isTerminal, layout: team.layout ?? 'panes' };
  const decided = await decideBackend(world, wish);
  if (decided.notice) note(decided.notice);
  let members: readonly Returned[] = [];
  const shown = await showTeam({
    world,
    team: plan.name,
    color: plan.lead.color,
    note,
    detach,
    begin: (parts) =>
      resumeTeam({
        world,
        plan,
        decided,
        wish,
        ...parts,
        returned(all) {
          members = all;
          for (const line of returnedLines(all)) note(line);
        },
      }),
  });
  return { ...shown, members, ...(found.archived && { from: found.archived.path }) };
}

const WORDS = {
  alive: 'is alive and goes on',
  restarted: 'goes on from its transcript',
  dismissed: 'was asked to end before, and stays ended',
  gone: 'is gone',
} as const;

/** How everybody came back, a line each. */
export function returnedLines(members: readonly Returned[]): string[] {
  return members.map(
    (member) => `${member.name} ${WORDS[member.how]}${'because' in member ? `: ${member.because}` : ''}`,
  );
}
