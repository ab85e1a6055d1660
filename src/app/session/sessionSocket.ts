import { dirname, join } from 'node:path';
import { runtimeFolder } from '../../config/paths.js';
import { uuidOf } from '../../host/ids.js';
import type { Mailbox } from '../../mailbox/mailbox.js';
import type { Listening } from '../../mailbox/socket.js';
import { agentIdOf } from '../../team/member.js';
import type { Launch } from '../../team/start/launch.js';
import { messageOf } from '../../util/errors.js';

/**
 * The socket at which other sessions on this machine write to a member: their messages go into its inbox as prose from
 * outside of the team. Nothing where it cannot be opened; a member works without.
 */
export async function openSessionSocket(
  { home, team, member, role }: Launch,
  mailbox: Mailbox,
  onProblem: (problem: string) => void,
): Promise<Listening | undefined> {
  const path = join(runtimeFolder(), `${uuidOf(`${home}\n${agentIdOf(member, team)}`).replaceAll('-', '')}.sock`);
  try {
    const { listenForRecords, removeStaleSockets } = await import('../../mailbox/socket.js');
    const listening = await listenForRecords(path, async ({ msg_id, from, text, summary, reply_to }) => {
      await mailbox.deliver({ msg_id, from: `uds:${from}`, text, summary, reply_to });
    });
    if (role === 'lead') await removeStaleSockets(dirname(path));
    return listening;
  } catch (error) {
    onProblem(`Other sessions cannot write to ${member}: ${messageOf(error)}`);
    return undefined;
  }
}
