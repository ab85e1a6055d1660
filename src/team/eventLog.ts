import { type FileHandle, open } from 'node:fs/promises';
import * as z from 'zod/mini';
import { type Clock, isoTime } from '../host/clock.js';
import { parseRecords, readRecords } from '../store/jsonLines.js';
import { mendTail } from '../store/lineTail.js';
import { withLock } from '../store/lock.js';
import { hasCode } from '../util/errors.js';

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
  /** Each call gives what came since the one before, the first what is behind `since`. A look reads only what is new. */
  follow(since?: number): () => Promise<TeamEvent[]>;
}

/** The event log at `path`, whose folder must exist: it is never made. */
export function openEventLog(path: string, clock: Clock): EventLog {
  return {
    append: (type, fields = {}) =>
      withLock(path, async (stillOurs) => {
        const file = await open(path, 'a+', 0o600);
        try {
          const { last } = await mendTail(file);
          stillOurs();
          await file.appendFile(`${JSON.stringify({ seq: seqOf(last) + 1, at: isoTime(clock), type, ...fields })}\n`);
        } finally {
          await file.close();
        }
      }),
    async read(since = 0) {
      const { records } = await readRecords(path, TeamEvent);
      return records.filter(({ seq }) => seq > since);
    },
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

/** The whole lines of a file from this byte on, or all of them where it has become shorter. Nothing where there is none. */
async function linesBehind(path: string, place: number): Promise<{ readonly text: string; readonly end: number }> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return { text: '', end: 0 };
    throw error;
  }
  try {
    const { size } = await file.stat();
    const from = size < place ? 0 : place;
    if (size === from) return { text: '', end: from };
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    const whole = buffer.subarray(0, bytesRead).lastIndexOf('\n') + 1;
    return { text: buffer.toString('utf8', 0, whole), end: from + whole };
  } finally {
    await file.close();
  }
}

function seqOf(last: unknown): number {
  const event = TeamEvent.safeParse(last);
  return event.success ? event.data.seq : 0;
}
