import type { TeamPaths } from '../config/paths.js';
import type { Clock } from '../host/clock.js';
import type { Ids } from '../host/ids.js';
import { openMailbox } from '../mailbox/mailbox.js';
import type { MessageType } from '../mailbox/message.js';
import { messageOf, UserError } from '../util/errors.js';
import { isSameName } from '../util/names.js';
import { type Bridge, elsewhere, sendElsewhere } from './elsewhere.js';
import { agentIdOf, requireMember } from './member.js';
import { liveRecord, readRunRecord } from './runRecord.js';
import type { Member, TeamFile } from './teamFile.js';

export interface TeamPlace {
  readonly paths: TeamPaths;
  readonly clock: Clock;
  readonly ids: Ids;
  /** The way to sessions on other machines, where one is configured. */
  readonly bridge?: Bridge | undefined;
}

/** Who says it. `from` is what the recipient sees and cannot be chosen by a model. */
export interface Sender {
  readonly from: string;
  readonly color?: string | undefined;
  /** Where a session outside of the team can answer it: `uds:<path>`. */
  readonly replyTo?: string | undefined;
}

export interface Prose {
  /** A member, `lead`, `main`, `*` for everybody but the sender, `uds:<path>` or `bridge:<id>`. */
  readonly to: string;
  readonly text: string;
  readonly summary?: string | undefined;
  readonly inReplyTo?: string | undefined;
}

export interface Recipient {
  readonly name: string;
  readonly alive: boolean;
  /** Messages that wait before this one. */
  readonly ahead: number;
}

export interface Sent {
  readonly msg_id: string;
  readonly delivered: readonly Recipient[];
  readonly failed: readonly { readonly name: string; readonly because: string }[];
}

/** Puts prose into one inbox or all of them. On disk when it returns. @throws UserError for an unknown member or an empty text. */
export async function sendProse(
  place: TeamPlace,
  team: TeamFile,
  sender: Sender,
  { to, text, summary, inReplyTo }: Prose,
): Promise<Sent> {
  const outside = elsewhere(to);
  if (outside) {
    const from = sender.from === 'user' ? 'user' : agentIdOf(sender.from, team.name);
    const draft = { from, text, summary, in_reply_to: inReplyTo, reply_to: sender.replyTo };
    const msg_id = await sendElsewhere(place, outside, draft);
    return { msg_id, delivered: [{ name: to, alive: true, ahead: 0 }], failed: [] };
  }
  const isBroadcast = to === '*';
  const members = isBroadcast
    ? team.members.filter(({ name }) => !isSameName(name, sender.from))
    : [requireMember(team, to)];
  if (text.trim() === '') throw new UserError('The message is empty: say what it is about.');
  const msg_id = place.ids.timeUuid();
  const delivered: Recipient[] = [];
  const failed: { name: string; because: string }[] = [];
  for (const member of members) {
    try {
      const draft = {
        msg_id,
        from: sender.from,
        text,
        ...(sender.color && { color: sender.color }),
        ...(summary && { summary }),
        ...(inReplyTo && { in_reply_to: inReplyTo }),
        ...(isBroadcast && { to: '*' }),
      };
      delivered.push(await deliver(place, member, draft));
    } catch (error) {
      if (!isBroadcast) throw error;
      failed.push({ name: member.name, because: messageOf(error) });
    }
  }
  return { msg_id, delivered, failed };
}

async function deliver(
  place: TeamPlace,
  member: Member,
  draft: Parameters<ReturnType<typeof openMailbox>['deliver']>[0],
): Promise<Recipient> {
  const mailbox = openMailbox({ team: place.paths, member: member.name, clock: place.clock, ids: place.ids });
  const ahead = await mailbox.waiting();
  await mailbox.deliver(draft);
  // A record that nobody can read keeps no mail back.
  const alive = await isMemberAlive(place, member.name).catch(() => false);
  return { name: member.name, alive, ahead };
}

export async function isMemberAlive({ paths }: TeamPlace, member: string): Promise<boolean> {
  const record = await readRunRecord(paths.runRecord(member));
  if (!record) return false;
  const { state } = await liveRecord(record);
  return state !== 'exited' && state !== 'terminated';
}

/** Puts a protocol message into a member's inbox. Only the harness sends these. The same `msg_id` arrives once. */
export async function sendProtocol(
  place: TeamPlace,
  sender: Sender,
  to: string,
  type: MessageType,
  payload: Readonly<Record<string, unknown>>,
  msg_id?: string,
): Promise<string> {
  const mailbox = openMailbox({ team: place.paths, member: to, clock: place.clock, ids: place.ids });
  const { request_id } = payload;
  const message = await mailbox.deliver({
    from: sender.from,
    type,
    text: JSON.stringify({ type, from: sender.from, ...payload }),
    ...(sender.color && { color: sender.color }),
    ...(typeof request_id === 'string' && { request_id }),
    ...(msg_id !== undefined && { msg_id }),
  });
  return message.msg_id;
}
