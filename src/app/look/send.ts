import { type Prose, type Sent, sendProse } from '../../team/messages.js';
import { placeOf, type World } from '../services.js';
import { chooseTeam, speaker } from './teams.js';

/** Puts a message into a member's inbox, in the user's name or in that of the member whose tool asks. */
export async function send(world: World, team: string | undefined, prose: Prose): Promise<Sent> {
  const file = await chooseTeam(world, team);
  return sendProse(placeOf(world, file.name), file, speaker(file), prose);
}
