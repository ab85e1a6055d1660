import { noteDismissed } from '../../team/dismissed.js';
import { LEAD, requireMember } from '../../team/member.js';
import { openRejections, type ShutdownResult, shutdownMember } from '../../team/shutdown.js';
import { UserError } from '../../util/errors.js';
import { chooseTeam, refuseMembers } from '../look/teams.js';
import { placeOf, type World } from '../services.js';
import { recordedBackend } from '../start/backends.js';

export interface ShutdownRequest {
  readonly team?: string | undefined;
  readonly members: readonly string[];
  readonly all: boolean;
  readonly force: boolean;
  readonly graceMs: number;
}

export type ShutdownOutcome = ShutdownResult & { readonly name: string };

/** Ends members of a team, several at once. @throws UserError for an unknown one, before any is asked. */
export async function shutdownMembers(
  world: World,
  { team: given, members, all, force, graceMs }: ShutdownRequest,
): Promise<ShutdownOutcome[]> {
  refuseMembers('shutdown');
  const team = await chooseTeam(world, given);
  const chosen = all
    ? team.members.filter(({ name }) => name !== LEAD)
    : members.map((name) => requireMember(team, name));
  if (chosen.length === 0 && !all) throw new UserError('Who? Name members, or say --all.');
  if (chosen.some(({ name }) => name === LEAD))
    throw new UserError(`The lead ends with its team: troupe down ${team.name}`);
  const place = placeOf(world, team.name);
  const deps = {
    place,
    home: world.home.root,
    backend: recordedBackend(world, team),
    sender: { from: 'user' },
    rejections: force ? undefined : await openRejections(place),
  };
  return Promise.all(
    chosen.map(async (member) => {
      const result = await shutdownMember(deps, team, member, { graceMs, force });
      if (result.how !== 'rejected') await noteDismissed(deps.place, member.name);
      return { ...result, name: member.name };
    }),
  );
}
