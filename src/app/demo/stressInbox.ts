import { open, readFile } from 'node:fs/promises';
import type { Home } from '../../config/paths.js';
import { systemClock } from '../../host/clock.js';
import { systemIds } from '../../host/ids.js';
import { openMailbox } from '../../mailbox/mailbox.js';
import type { Message } from '../../mailbox/message.js';
import { createPoller } from '../../mailbox/poller.js';
import { requireMember } from '../../team/member.js';
import { openTeamFile } from '../../team/teamFile.js';

export interface SendMany {
  readonly home: Home;
  readonly team: string;
  readonly to: string;
  readonly count: number;
  /** Told the id of each message once it is safe. */
  readonly print: (msgId: string) => void;
}

/** Sends `count` messages as `troupe send` does, one after the other. For the stress test of the inbox. */
export async function sendMany({ home, team, to, count, print }: SendMany): Promise<void> {
  const paths = home.team(team);
  const member = requireMember(await openTeamFile(paths.config).require(), to);
  const mailbox = openMailbox({ team: paths, member: member.name, clock: systemClock, ids: systemIds });
  for (let sent = 1; sent <= count; sent++) {
    const { msg_id } = await mailbox.deliver({ from: 'user', text: `Message ${sent} of ${count}` });
    print(msg_id);
  }
}

export interface ReadInbox {
  readonly home: Home;
  readonly team: string;
  readonly member: string;
  /** What was taken over before: after a crash a message is delivered again. */
  readonly delivered: ReadonlySet<string>;
  /** Takes a message over; only then is it marked read. */
  readonly onMessage: (message: Message) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Reads an inbox as its owner does until `signal` is aborted: each message is taken over once, then marked. */
export async function readInbox({ home, team, member, delivered, onMessage, signal }: ReadInbox): Promise<void> {
  const mailbox = openMailbox({ team: home.team(team), member, clock: systemClock, ids: systemIds });
  const taken = new Set(delivered);
  const takeAll = async () => {
    const unread = await mailbox.fold();
    for (const message of unread) {
      if (taken.has(message.msg_id)) continue;
      await onMessage(message);
      taken.add(message.msg_id);
    }
    await mailbox.markRead(unread.map(({ msg_id }) => msg_id));
  };
  const poller = createPoller(systemClock, { everyMs: 1000, watch: true });
  poller.add(mailbox, takeAll, signal);
  await poller.run(signal);
}

/** The same, each id being appended to `out`, and what `out` holds counting as taken over. */
export async function readInboxInto(
  out: string,
  query: Pick<ReadInbox, 'home' | 'team' | 'member' | 'signal'>,
): Promise<void> {
  const file = await open(out, 'a+', 0o600);
  try {
    const delivered = new Set((await readFile(out, 'utf8')).split('\n').filter((line) => line !== ''));
    const onMessage = async ({ msg_id }: Message) => {
      await file.appendFile(`${msg_id}\n`);
      await file.sync();
    };
    await readInbox({ ...query, delivered, onMessage });
  } finally {
    await file.close();
  }
}
