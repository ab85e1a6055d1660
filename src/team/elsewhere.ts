import { isAbsolute } from 'node:path';
import { type Clock, isoTime } from '../host/clock.js';
import type { Ids } from '../host/ids.js';
import { type Draft, messageOfDraft } from '../mailbox/draft.js';
import type { Message } from '../mailbox/message.js';
import { UserError } from '../util/errors.js';

/** A session that is not a member of the team. */
export type Elsewhere =
  | { readonly kind: 'socket'; readonly path: string }
  | { readonly kind: 'bridge'; readonly id: string };

/** Carries messages to sessions on other machines. */
export interface Bridge {
  /** Resolves once the other side has it. @throws UserError where it cannot be brought there. */
  send(id: string, record: Message): Promise<void>;
}

export interface Carriers {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly bridge?: Bridge | undefined;
}

/** What `uds:<path>` and `bridge:<id>` mean; nothing for any other word. @throws UserError for one without its second half. */
export function elsewhere(to: string): Elsewhere | undefined {
  const [, kind, rest = ''] = /^(uds|bridge):(.*)$/s.exec(to) ?? [];
  if (kind === 'uds') {
    if (!isAbsolute(rest)) throw new UserError(`${to} needs the absolute path of a socket: uds:/path/to.sock`);
    return { kind: 'socket', path: rest };
  }
  if (kind === 'bridge') {
    if (rest === '') throw new UserError('bridge: needs the id of a session behind it.');
    return { kind: 'bridge', id: rest };
  }
  return undefined;
}

/** Hands a message to a session that is no member. Acknowledged when it returns, with the message's id. @throws UserError. */
export async function sendElsewhere({ clock, ids, bridge }: Carriers, to: Elsewhere, draft: Draft): Promise<string> {
  if (draft.text.trim() === '') throw new UserError('The message is empty: say what it is about.');
  const record = messageOfDraft(draft, ids.timeUuid(), isoTime(clock));
  if (to.kind === 'socket') {
    // Nearly every message goes to a member, without what sockets take to load.
    const { sendToSocket } = await import('../mailbox/sendToSocket.js');
    await sendToSocket(to.path, record, clock);
  } else if (bridge) await bridge.send(to.id, record);
  else
    throw new UserError(
      `No bridge to other machines is configured, so "bridge:${to.id}" cannot be reached. A session on this machine is uds:<path>.`,
    );
  return record.msg_id;
}
