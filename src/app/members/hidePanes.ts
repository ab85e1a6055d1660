import { isHidden, withHidden } from '../../team/hidden.js';
import { LEAD, requireMember } from '../../team/member.js';
import { paneOf } from '../../team/shutdown.js';
import { changeMember, openTeamFile } from '../../team/teamFile.js';
import { ExitCode, UserError } from '../../util/errors.js';
import { chooseTeam, refuseMembers } from '../look/teams.js';
import { placeOf, type World } from '../services.js';
import { recordedBackend } from '../start/backends.js';

export interface HideRequest {
  readonly command: 'hide' | 'show';
  readonly team?: string | undefined;
  readonly members: readonly string[];
  /** Every teammate that has a pane, or that is hidden. */
  readonly all: boolean;
}

export interface MovedPane {
  readonly name: string;
  readonly pane: string;
  readonly hidden: boolean;
  /** Whether it was hidden before. */
  readonly before: boolean;
}

/**
 * Puts the panes of members away, into windows of their own, or back beside the others. The members go on as before.
 * @throws UserError for an unknown member or a team without panes, before any is moved, and for a pane that is gone.
 */
export async function hidePanes(
  world: World,
  { command, team: given, members, all }: HideRequest,
): Promise<MovedPane[]> {
  refuseMembers(command);
  const team = await chooseTeam(world, given);
  const hidden = command === 'hide';
  const candidates = team.members.filter((member) => (hidden ? member.tmuxPaneId !== '' : isHidden(team, member)));
  const chosen = all
    ? candidates.filter(({ name }) => name !== LEAD)
    : members.map((name) => requireMember(team, name));
  if (chosen.length === 0 && !all) throw new UserError('Who? Name members, or say --all.');
  if (chosen.some(({ name }) => name === LEAD))
    throw new UserError("The lead's pane stays where it is: the others are put away beside it.");
  const panes = recordedBackend(world, team);
  if (!panes)
    throw new UserError(
      `The members of "${team.name}" have no panes: they run inside the process of its lead. See them with: troupe dashboard -t ${team.name}`,
      ExitCode.failed,
    );
  const file = openTeamFile(placeOf(world, team.name).paths.config);
  const moved: MovedPane[] = [];
  for (const member of chosen) {
    const { name, tmuxPaneId: pane } = member;
    const where = pane.startsWith('%') ? await panes.setHidden(paneOf(member), name, hidden) : undefined;
    if (!where && all) continue;
    if (!where)
      throw new UserError(
        `${name} has no pane of its own any more: see troupe status ${team.name}, and troupe restart ${name} for a new one.`,
        ExitCode.failed,
      );
    await file.update((current) =>
      withHidden(
        changeMember(current, name, (now) => (now.tmuxPaneId === pane ? { ...now, windowId: where.windowId } : now)),
        pane,
        hidden,
      ),
    );
    moved.push({ name, pane, hidden, before: isHidden(team, member) });
  }
  return moved;
}
