import { join } from 'node:path';
import type { TeamPaths } from '../../../config/paths.js';
import { openMailbox } from '../../../mailbox/mailbox.js';
import { type Message, messageFrom } from '../../../mailbox/message.js';
import { type FirstAndLast, firstAndLastOf, keepFirstAndLast } from '../../../report/page/firstAndLast.js';
import { mailOf, withRecipient } from '../../../report/page/mail.js';
import type { StoryMessage } from '../../../report/page/story.js';
import { several } from '../../../report/page/words.js';
import { eachRecord } from '../../../store/lineStream.js';
import { fileNameOf, nameProblem } from '../../../util/names.js';
import type { World } from '../../services.js';
import type { Missing } from './missing.js';

/** Messages that a page shows. */
const SHOWN = { first: 100, last: 700 } as const;

export interface Mail {
  readonly messages: FirstAndLast<StoryMessage>;
  /** The text with which each ended its last turn. */
  readonly reports: ReadonlyMap<string, StoryMessage>;
}

/** Everything that was written to the members, oldest first: what waits, what was read, and the log of long ago. */
export async function mailIn(
  { clock, ids }: Pick<World, 'clock' | 'ids'>,
  paths: TeamPaths,
  members: readonly string[],
  missing: Missing,
): Promise<Mail> {
  const found = new Map<string, StoryMessage>();
  let dropped = 0;
  for (const name of members.filter((one) => nameProblem(one) === undefined)) {
    const log = join(paths.inboxes, `${fileNameOf(name)}.log.jsonl`);
    // One inbox alone may hold more than the page: of each only what could be shown of it.
    const keeper = keepFirstAndLast<readonly [string, StoryMessage]>(SHOWN.first, SHOWN.last);
    const seen = new Set<string>();
    const add = (message: Message) => {
      const mail = seen.has(message.msg_id) ? undefined : mailOf(message, name);
      seen.add(message.msg_id);
      if (mail) keeper.push([message.msg_id, mail]);
    };
    await missing.reading(log, undefined, () => readLog(log, add, missing));
    const inbox = openMailbox({ team: paths, member: name, clock, ids });
    const present = await missing.reading<readonly Message[]>(paths.inboxes, [], () => inbox.peek());
    for (const message of present) add(message);
    const { first, leftOut, last } = keeper.kept();
    dropped += leftOut;
    for (const [id, mail] of [...first, ...last]) {
      const before = found.get(id);
      found.set(id, before ? withRecipient(before, name) : mail);
    }
  }
  const all = [...found.values()].sort((a, b) => a.at - b.at);
  const kept = firstAndLastOf(all, SHOWN.first, SHOWN.last);
  const messages = { ...kept, leftOut: kept.leftOut + dropped };
  if (messages.leftOut > 0) missing.say(`${several(messages.leftOut, 'message')}; all of them are in ${paths.inboxes}`);
  return { messages, reports: new Map(all.filter(({ kind }) => kind === 'report').map((one) => [one.from, one])) };
}

async function readLog(path: string, add: (message: Message) => void, missing: Missing): Promise<void> {
  const broken = await eachRecord(path, (record) => {
    const message = messageFrom(record);
    if (message) add(message);
    return message !== undefined;
  });
  missing.lines(broken, 'an inbox', path);
}
