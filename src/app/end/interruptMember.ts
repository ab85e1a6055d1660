import { requireMember } from '../../team/member.js';
import { sendProtocol } from '../../team/messages.js';
import { livingRecord } from '../../team/shutdown.js';
import { ExitCode, UserError } from '../../util/errors.js';
import { chooseTeam, refuseMembers } from '../look/teams.js';
import { placeOf, type World } from '../services.js';

/** How long it may take until the turn is seen to be over; a tool that ends slowly takes longer. */
const SEEN_MS = 5000;
const LOOK_MS = 50;

export interface Interruption {
  readonly name: string;
  /** `asked`: it works still, with its turn about to end. `nothing`: there was no turn to end. */
  readonly how: 'interrupted' | 'asked' | 'nothing';
}

/** Ends a member's current turn; its mail and history stay. @throws UserError for an unknown member, or one that does not run. */
export async function interruptMember(world: World, team: string | undefined, who: string): Promise<Interruption> {
  refuseMembers('interrupt');
  const file = await chooseTeam(world, team);
  const { name } = requireMember(file, who);
  const place = placeOf(world, file.name);
  const before = await livingRecord(place, name);
  if (!before)
    throw new UserError(
      `${name} is not running, so it has no turn to end. It is started again with: troupe restart ${name} -t ${file.name}`,
      ExitCode.failed,
    );
  // One that waits for the answer to its plan, or is idle, has no turn.
  if (before.state !== 'working' || before.waitingFor === 'plan') return { name, how: 'nothing' };
  await sendProtocol(place, { from: 'user' }, name, 'interrupt', {});
  const until = world.clock.monotonic() + SEEN_MS;
  while (world.clock.monotonic() < until) {
    const now = await livingRecord(place, name);
    if (now?.state !== 'working') return { name, how: 'interrupted' };
    await world.clock.sleep(LOOK_MS);
  }
  return { name, how: 'asked' };
}
