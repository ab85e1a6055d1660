import { openMailbox } from '../../mailbox/mailbox.js';
import type { Message } from '../../mailbox/message.js';
import { LEAD, requireMember } from '../../team/member.js';
import { isAbort } from '../../util/errors.js';
import type { World } from '../services.js';
import { chooseAnyTeam, pathsOfAny } from './anyTeam.js';

export interface InboxQuery {
  readonly team?: string | undefined;
  readonly member?: string | undefined;
  readonly unread: boolean;
}

/** A member's messages, newest last. Looking marks nothing read. */
export async function inbox(world: World, { team, member = LEAD, unread }: InboxQuery): Promise<Message[]> {
  const found = await chooseAnyTeam(world, team);
  const { name } = requireMember(found.team, member);
  const { clock, ids } = world;
  const messages = await openMailbox({ team: pathsOfAny(world, found), member: name, clock, ids }).peek();
  return unread ? messages.filter(({ read }) => !read) : messages;
}

/** The same, then each new message as it comes, until `signal` is aborted. */
export async function* followInbox(
  world: World,
  query: InboxQuery,
  signal: AbortSignal,
): AsyncGenerator<Message, void> {
  const seen = new Set<string>();
  for (;;) {
    for (const message of await inbox(world, query)) {
      if (!seen.has(message.msg_id)) yield message;
      seen.add(message.msg_id);
    }
    try {
      await world.clock.sleep(300, signal);
    } catch (error) {
      if (isAbort(error) || signal.aborted) return;
      throw error;
    }
  }
}
