import { elsewhere, sendElsewhere } from '../../team/elsewhere.js';
import { findMember } from '../../team/member.js';
import { type Prose, type Sent, sendProse } from '../../team/messages.js';
import { UserError } from '../../util/errors.js';
import { placeOf, type World } from '../services.js';
import { subagentOwner } from './subagentOwner.js';
import { callingAgent, chooseTeam, speaker } from './teams.js';

/**
 * Puts a message into a member's inbox, in the user's name or in that of the member whose tool asks; or hands it to a
 * session elsewhere, for which no team is needed.
 */
export async function send(world: World, team: string | undefined, prose: Prose): Promise<Sent> {
  const outside = elsewhere(prose.to);
  if (outside) {
    const draft = { ...prose, to: undefined, from: callingAgent() ?? 'user', in_reply_to: prose.inReplyTo };
    const msg_id = await sendElsewhere(world, outside, draft);
    return { msg_id, delivered: [{ name: prose.to, alive: true, ahead: 0 }], failed: [] };
  }
  const file = await chooseTeam(world, team);
  if (prose.to !== '*' && !findMember(file, prose.to)) {
    const owner = await subagentOwner(world, file, prose.to);
    if (owner !== undefined)
      throw new UserError(
        `"${prose.to}" is an agent of ${owner}'s own, inside its process: only ${owner} can write to it. Ask it to: troupe send ${owner} "Tell ${prose.to} …"`,
      );
  }
  return sendProse(placeOf(world, file.name), file, speaker(file), prose);
}
