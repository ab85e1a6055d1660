import { join } from 'node:path';
import { type Clock, isoTime } from '../host/clock.js';
import { type Ids, isUuid } from '../host/ids.js';
import { writeAtomic } from '../store/atomicFile.js';
import { fingerprint } from '../store/fingerprint.js';
import { toJson } from '../store/jsonFile.js';
import { appendLines } from '../store/jsonLines.js';
import { withLock } from '../store/lock.js';
import { openSpool } from '../store/spool.js';
import { hasCode, UserError } from '../util/errors.js';
import { checkName, fileNameOf } from '../util/names.js';
import { boundedText, type Draft, messageOfDraft } from './draft.js';
import { keepCorrupt, moveCorrupt, readInboxArray } from './inboxFile.js';
import { type Message, messageFrom } from './message.js';

/** Read messages that stay in the array; older ones go to the log. */
const KEPT_READ = 100;

export interface Mailbox {
  readonly member: string;
  /** The folder in which deliveries appear. */
  readonly delivered: string;
  /** Makes the folders of this inbox inside the team's, for an owner that wants to watch them before anybody wrote. */
  prepare(): Promise<void>;
  /**
   * Takes no lock. When it returns, the message survives the death of either side and a power cut.
   * @throws UserError for an empty text, and where the team has no inboxes (any more).
   */
  deliver(draft: Draft): Promise<Message>;
  /** The array and what waits to be folded in, newest last. Never writes; of a torn file what can be understood. */
  peek(): Promise<Message[]>;
  /** How many messages are unread, those not folded in yet included. */
  waiting(): Promise<number>;
  /** Owner only: takes deliveries into the array. Returns all unread messages in order. */
  fold(): Promise<Message[]>;
  /** Owner only: call it once the transcript has them. */
  markRead(ids: readonly string[]): Promise<void>;
  /** Owner only, or whoever takes a dead member's slot: nobody will read these. Returns how many there were. */
  moveUnreadToLog(): Promise<number>;
  /** Whether `fold` may find something that this object has not seen. Costs a readdir and a stat, however long the history. */
  hasNews(): Promise<boolean>;
}

export interface MailboxOptions {
  /** Where the team's mail lies: absolute folders, both existing. */
  readonly team: { readonly inboxes: string; readonly files: string };
  readonly member: string;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Told once of each broken file, with the path of the copy that was kept. */
  readonly onProblem?: (problem: string) => void;
}

interface Change {
  readonly keep: readonly Message[];
  readonly toLog?: readonly Message[];
}

/** False while the file of a delivery still lies in `new/`: leaving the array now, it would come back. */
type IsSettled = (message: Message) => boolean;

/** @throws UserError for a name that no member can have. */
export function openMailbox({ team, member, clock, ids, onProblem = () => {} }: MailboxOptions): Mailbox {
  const base = join(team.inboxes, fileNameOf(checkName('member', member)));
  const array = `${base}.json`;
  const log = `${base}.log.jsonl`;
  const spool = openSpool(`${base}.d`);
  let seen: string | undefined;

  /** The only writer: everything that is delivered becomes part of the array first. */
  const update = (change: (all: readonly Message[], isSettled: IsSettled) => Change, isLook = false) =>
    withLock(array, async (stillOurs) => {
      const names = spool.list();
      const isNews = names.length > 0 || fingerprint(array) !== seen;
      const delivered = await readDelivered(names);
      const { messages, isBroken } = await readInboxArray(array);
      if (isBroken) await reportBroken(messages.length);
      const unsettled = new Set(delivered.map(({ msg_id }) => msg_id));
      const { keep, toLog = [] } = change(merged(messages, delivered), ({ msg_id }) => !unsettled.has(msg_id));
      await appendLines(log, toLog, { durable: true });
      if (isBroken || names.length > 0 || !isSameList(keep, messages)) {
        await writeAtomic(array, toJson(keep), { beforeRename: stillOurs });
      }
      await inChunks(names, (name) => spool.remove(name));
      // Who only marks does not look: what came in with it is still to be seen.
      seen = isNews && !isLook ? undefined : fingerprint(array);
      return keep;
    });

  const reportBroken = async (rescued: number) => {
    const copy = await keepCorrupt(array, array, clock);
    onProblem(`The inbox ${array} was broken. A copy is ${copy}; ${rescued} messages were rescued from it.`);
  };

  const readDelivered = async (names: readonly string[]): Promise<Message[]> => {
    const found = await inChunks(names, async (name) => {
      const message = await readOne(name);
      if (message === 'broken') {
        const aside = await moveCorrupt(join(spool.delivered, name), array, clock);
        onProblem(`A message to ${member} could not be read. It was moved to ${aside}.`);
      }
      return message;
    });
    return found.filter((message) => message !== undefined && message !== 'broken');
  };

  const readOne = async (name: string): Promise<Message | 'broken' | undefined> => {
    try {
      const text = await spool.read(name);
      return text === undefined ? undefined : (messageFrom(JSON.parse(text)) ?? 'broken');
    } catch (error) {
      if (error instanceof SyntaxError || hasCode(error, 'EISDIR', 'ELOOP')) return 'broken';
      throw error;
    }
  };

  const peek = async () => {
    // Deliveries first: the owner may move one into the array in between, and seen twice is better than not at all.
    const delivered = await inChunks(spool.list(), readOne);
    const { messages } = await readInboxArray(array);
    return merged(
      messages,
      delivered.filter((message) => message !== undefined && message !== 'broken'),
    );
  };

  return {
    member,
    delivered: spool.delivered,
    prepare: () => spool.prepare(),
    async deliver(draft) {
      const msg_id = draft.msg_id ?? ids.timeUuid();
      if (!isUuid(msg_id)) throw new UserError(`${JSON.stringify(msg_id)} is not a message id: it must be a UUID.`);
      if (draft.text.trim() === '') throw new UserError(`The message to ${member} is empty: say what it is about.`);
      const message = messageOfDraft(draft, msg_id, isoTime(clock));
      try {
        const text = await boundedText(message, join(team.files, `${msg_id}.txt`));
        await spool.deliver(`${msg_id}.json`, toJson({ ...message, text }));
        return { ...message, text };
      } catch (error) {
        if (hasCode(error, 'ENOENT'))
          throw new UserError(
            `Nothing was sent to ${member}: ${team.inboxes} is gone. Was the team taken down? See troupe ls.`,
            1,
            { cause: error },
          );
        throw error;
      }
    },
    peek,
    async waiting() {
      // A delivery is called after its message: to count them none need be opened.
      const delivered = spool.list().map((name) => name.replace(/\.json$/, ''));
      const { messages } = await readInboxArray(array);
      const known = new Set(messages.map(({ msg_id }) => msg_id));
      return messages.filter(({ read }) => !read).length + delivered.filter((id) => !known.has(id)).length;
    },
    fold: async () => (await update((all) => ({ keep: all }), true)).filter(({ read }) => !read),
    async markRead(readIds) {
      if (readIds.length === 0) return;
      const now = new Set(readIds);
      await update((all, isSettled) =>
        bounded(
          all.map((message) => (!message.read && now.has(message.msg_id) ? { ...message, read: true } : message)),
          isSettled,
        ),
      );
    },
    async moveUnreadToLog() {
      let moved = 0;
      await update((all) => ({ keep: all }));
      await update((all, isSettled) => {
        const toLog = all.filter((message) => !message.read && isSettled(message));
        moved = toLog.length;
        return without(all, toLog);
      });
      return moved;
    },
    hasNews: async () => spool.list().length > 0 || fingerprint(array) !== seen,
  };
}

function merged(array: readonly Message[], delivered: readonly Message[]): Message[] {
  const byId = new Map(array.map((message) => [message.msg_id, message]));
  for (const message of delivered) if (!byId.has(message.msg_id)) byId.set(message.msg_id, message);
  return [...byId.values()];
}

function bounded(all: readonly Message[], isSettled: IsSettled): Change {
  const read = all.filter((message) => message.read);
  return without(all, read.slice(0, Math.max(0, read.length - KEPT_READ)).filter(isSettled));
}

function without(all: readonly Message[], toLog: readonly Message[]): Change {
  const gone = new Set(toLog);
  return { keep: all.filter((message) => !gone.has(message)), toLog };
}

function isSameList(a: readonly Message[], b: readonly Message[]): boolean {
  return a.length === b.length && a.every((message, index) => message === b[index]);
}

/** A few at a time: thousands of files at once would run out of descriptors. */
async function inChunks<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += 64) {
    results.push(...(await Promise.all(items.slice(start, start + 64).map(work))));
  }
  return results;
}
