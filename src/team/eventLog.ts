import { open } from 'node:fs/promises';
import * as z from 'zod/mini';
import { type Clock, isoTime } from '../host/clock.js';
import { linesBehind } from '../store/growingFile.js';
import { parseRecords, readRecords } from '../store/jsonLines.js';
import { mendTail } from '../store/lineTail.js';
import { withLock } from '../store/lock.js';
import { onOpenFile } from '../store/openFile.js';

/** One line of `events.jsonl`. */
export const TeamEvent = z.looseObject({
  /** Counts up by one over all processes of the team, from 1. */
  seq: z.number(),
  /** ISO 8601. */
  at: z.string(),
  type: z.string(),
  member: z.optional(z.string()),
});
export type TeamEvent = z.infer<typeof TeamEvent>;

export interface EventLog {
  append(type: string, fields?: { member?: string | undefined; [field: string]: unknown }): Promise<void>;
  /** Events with a higher `seq` than `since`, in order. Lines that cannot be read are left out. */
  read(since?: number): Promise<TeamEvent[]>;
  /** All of them, also those whose append this process has begun and not awaited. */
  readWhole(): Promise<TeamEvent[]>;
  /** Each call gives what came since the one before, the first what is behind `since`. A look reads only what is new. */
  follow(since?: number): () => Promise<TeamEvent[]>;
}

/** The event log at `path`, whose folder must exist: it is never made. */
export function openEventLog(path: string, clock: Clock): EventLog {
  const read = async (since = 0) => {
    const { records } = await readRecords(path, TeamEvent);
    return records.filter(({ seq }) => seq > since);
  };
  return {
    append: (type, fields = {}) =>
      withLock(path, async (stillOurs) => {
        const file = await open(path, 'a+', 0o600);
        try {
          await onOpenFile(path, async () => {
            const { last } = await mendTail(file);
            stillOurs();
            await file.appendFile(`${JSON.stringify({ seq: seqOf(last) + 1, at: isoTime(clock), type, ...fields })}\n`);
          });
        } finally {
          await file.close();
        }
      }),
    read,
    // Those of one process have the lock in turn. Where there is none to be had, as on a full disk, nobody appends either.
    readWhole: () => withLock(path, () => read()).catch(() => read()),
    follow(since = 0) {
      let last = since;
      let place = 0;
      return async () => {
        const { text, end } = await linesBehind(path, place);
        place = end;
        const fresh = parseRecords(text, TeamEvent).records.filter(({ seq }) => seq > last);
        last = fresh.at(-1)?.seq ?? last;
        return fresh;
      };
    },
  };
}

function seqOf(last: unknown): number {
  const event = TeamEvent.safeParse(last);
  return event.success ? event.data.seq : 0;
}
