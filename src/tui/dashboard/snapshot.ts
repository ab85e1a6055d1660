import { join } from 'node:path';
import type { TeamPaths } from '../../config/paths.js';
import type { Clock } from '../../host/clock.js';
import type { Ids } from '../../host/ids.js';
import { openMailbox } from '../../mailbox/mailbox.js';
import type { Message } from '../../mailbox/message.js';
import { fingerprint } from '../../store/fingerprint.js';
import { onceChanged } from '../../store/onceChanged.js';
import { blockersOf, type Task } from '../../tasks/task.js';
import { openTaskList } from '../../tasks/taskList.js';
import { LEAD } from '../../team/member.js';
import { openRequests, type TeamRequest } from '../../team/requests.js';
import { createRecordReader, liveRecord, type RunRecord } from '../../team/runRecord.js';
import type { TeamFile } from '../../team/teamFile.js';
import { messageOf, UserError } from '../../util/errors.js';
import { fileNameOf } from '../../util/names.js';
import { createTranscriptTail, type TranscriptTail } from './transcriptTail.js';
import { messageWords } from './views/messageWords.js';

/** A member as the dashboard shows it. */
export interface BoardMember {
  readonly name: string;
  readonly color: string | undefined;
  readonly model: string;
  readonly mode: string;
  /** A pane's id, or where else it runs. */
  readonly place: string;
  /** Absent before it has said anything of itself. */
  readonly record: RunRecord | undefined;
}

export interface BoardTask extends Task {
  /** Ids of unfinished tasks that it waits for. */
  readonly waitsFor: readonly string[];
}

export interface BoardMessage {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** ISO 8601. */
  readonly at: string;
  readonly isRead: boolean;
  /** In one line. */
  readonly summary: string;
  readonly text: string;
}

/** A plan, a permission or a question that waits for a person. */
export type Waiting =
  | { readonly id: string; readonly kind: 'request'; readonly from: string; readonly request: TeamRequest }
  | { readonly id: string; readonly kind: 'question'; readonly from: string; readonly question: string };

export type BoardState = 'starting' | 'running' | 'stopped' | 'crashed' | 'archived';

/** A team at one moment. */
export interface TeamSnapshot {
  readonly team: string;
  readonly state: BoardState;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The lead first. */
  readonly members: readonly BoardMember[];
  readonly tasks: readonly BoardTask[];
  /** Newest first. */
  readonly messages: readonly BoardMessage[];
  /** Oldest first. */
  readonly waiting: readonly Waiting[];
  readonly transcript: TranscriptTail;
  /** What could not be read. */
  readonly problem?: string | undefined;
}

/** Where a team lies at this moment: it may be archived while it is looked at. */
export interface FoundBoard {
  readonly team: TeamFile;
  readonly state: BoardState;
  readonly paths: TeamPaths;
}

export interface SnapshotDeps {
  /** Nothing when it is gone, from the archive too. */
  readonly find: () => Promise<FoundBoard | undefined>;
  /** A session's transcript. */
  readonly transcript: (sessionId: string) => string;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Newest messages that are shown. */
const MOST_MESSAGES = 300;

/** Looks at a team again and again. What has not changed on disk is not read again. */
export function createSnapshots({ find, transcript, clock, ids }: SnapshotDeps) {
  let last: TeamSnapshot | undefined;
  const recordOf = createRecordReader();
  const tail = createTranscriptTail();
  const tasksOf = onceChanged<BoardTask[]>();
  const requestsOf = onceChanged<TeamRequest[]>();
  const mailOf = new Map<string, ReturnType<typeof onceChanged<BoardMessage[]>>>();

  const livingRecord = async (path: string) => {
    const record = await recordOf(path);
    return record && (await liveRecord(record));
  };
  const inboxOf = (paths: TeamPaths, member: string): Promise<BoardMessage[]> => {
    const base = join(paths.inboxes, fileNameOf(member));
    const reader = mailOf.get(member) ?? onceChanged<BoardMessage[]>();
    mailOf.set(member, reader);
    const print = `${fingerprint(`${base}.json`)} ${fingerprint(join(`${base}.d`, 'new'))}`;
    return reader(print, async () => {
      const all = await openMailbox({ team: paths, member, clock, ids }).peek();
      return all
        .toSorted(newestFirst)
        .slice(0, MOST_MESSAGES)
        .map((message) => boardMessage(member, message));
    });
  };

  const tasksIn = async ({ tasks }: TeamPaths): Promise<BoardTask[]> =>
    tasksOf(`${tasks} ${fingerprint(tasks)}`, async () => {
      const all = await openTaskList(tasks).list();
      return all.map((task) => ({ ...task, waitsFor: blockersOf(task, all).map(({ id }) => id) }));
    });
  const requestsIn = async ({ requests }: TeamPaths): Promise<TeamRequest[]> =>
    requestsOf(`${requests} ${fingerprint(requests)}`, () => openRequests(requests, clock).open());

  return {
    /** The team as it is now, with the transcript of `chosen`, else of the lead. */
    async read(chosen: string | undefined): Promise<TeamSnapshot> {
      const found = await find();
      if (!found && last) return { ...last, state: 'archived', waiting: [] };
      if (!found) throw new UserError('The team is gone.');
      const { team, state, paths } = found;
      const problems: string[] = [];
      const orElse = async <T>(work: Promise<T>, otherwise: T): Promise<T> =>
        work.catch((error: unknown) => {
          problems.push(messageOf(error));
          return otherwise;
        });
      const leadFirst = team.members.toSorted((a, b) => Number(b.name === LEAD) - Number(a.name === LEAD));
      const members = await Promise.all(
        leadFirst.map(
          async ({ name, color, model = '', mode = 'default', tmuxPaneId: place }): Promise<BoardMember> => {
            const record = await orElse(livingRecord(paths.runRecord(name)), undefined);
            return { name, color, model, mode, place, record };
          },
        ),
      );
      const mail = await Promise.all(leadFirst.map(({ name }) => orElse(inboxOf(paths, name), [])));
      const requests = await orElse(requestsIn(paths), []);
      const shown = leadFirst.find(({ name }) => name === chosen) ?? leadFirst[0];
      const path = shown?.sessionId === undefined ? undefined : transcript(shown.sessionId);
      last = {
        team: team.name,
        state,
        at: clock.now(),
        members,
        tasks: await orElse(tasksIn(paths), []),
        messages: mail
          .flat()
          .sort((a, b) => compared(b.at, a.at) || compared(b.id, a.id))
          .slice(0, MOST_MESSAGES),
        waiting: [...(state === 'archived' ? [] : requests.map(waitingRequest)), ...members.flatMap(questionsOf)],
        transcript: await orElse(tail.read(path), { path: path ?? '', lines: [], isCut: false }),
        problem: problems[0],
      };
      return last;
    },
  };
}

export type Snapshots = ReturnType<typeof createSnapshots>;

function waitingRequest(request: TeamRequest): Waiting {
  return { id: request.id, kind: 'request', from: request.from, request };
}

function questionsOf({ name, record }: BoardMember): Waiting[] {
  return (record?.questions ?? []).map((question) => ({
    id: `${name}: ${question}`,
    kind: 'question',
    from: name,
    question,
  }));
}

function newestFirst(a: Message, b: Message): number {
  return compared(b.timestamp, a.timestamp) || compared(b.msg_id, a.msg_id);
}

/** Of times and ids, which are no words of any language. */
function compared(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

function boardMessage(inbox: string, message: Message): BoardMessage {
  const { msg_id, from, timestamp, read, summary, text } = message;
  return {
    // A broadcast lies in many inboxes.
    id: `${msg_id} ${inbox}`,
    from,
    to: inbox,
    at: timestamp,
    isRead: read,
    ...messageWords(message.type, text, summary),
  };
}
