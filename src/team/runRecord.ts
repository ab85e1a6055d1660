import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import type { Clock } from '../host/clock.js';
import { isAlive } from '../host/processes.js';
import { writeAtomic } from '../store/atomicFile.js';
import { fingerprint } from '../store/fingerprint.js';
import { parseJson, toJson } from '../store/jsonFile.js';
import { hasCode } from '../util/errors.js';

export const MemberState = z.enum(['starting', 'working', 'idle', 'exited', 'terminated']);
export type MemberState = z.infer<typeof MemberState>;

/** What a member's process says of itself. Times are milliseconds since the epoch. */
export const RunRecord = z.object({
  pid: z.number(),
  /** With `pid` it tells the process apart from a later one of that id. */
  procStart: z.string(),
  /** Which run of this member it is, from 1. */
  generation: z.number(),
  /** Where it runs: an in-process member shares its process with others. */
  backend: z.optional(z.enum(['tmux', 'iterm2', 'in-process'])),
  state: MemberState,
  waitingFor: z.optional(z.enum(['plan', 'permission', 'question'])),
  requestId: z.optional(z.string()),
  activity: z.optional(z.string()),
  /** What its model asks the person at its terminal and is not answered yet. */
  questions: z.optional(z.array(z.string())),
  /** Its own list of steps, as it last wrote it. */
  todos: z.optional(
    z.array(
      z.object({
        content: z.string(),
        status: z.enum(['pending', 'in_progress', 'completed']),
        activeForm: z.string(),
      }),
    ),
  ),
  /** Id of the task it works on. */
  task: z.optional(z.string()),
  turns: z.number(),
  tokens: z.object({ input: z.number(), output: z.number(), cacheRead: z.number(), cacheWrite: z.number() }),
  costUsd: z.number(),
  /** Milliseconds that its models took, those of its sub-agents included. */
  apiMs: z.optional(z.number()),
  /** The same by model, sub-agents' models included. */
  models: z.optional(
    z.record(
      z.string(),
      z.object({
        input: z.number(),
        output: z.number(),
        cacheRead: z.number(),
        cacheWrite: z.number(),
        costUsd: z.number(),
        webSearches: z.optional(z.number()),
      }),
    ),
  ),
  /** Goes up with each change that is not a heartbeat. */
  counter: z.number(),
  heartbeat: z.number(),
  readyAt: z.optional(z.number()),
  exit: z.optional(z.object({ code: z.nullable(z.number()), signal: z.nullable(z.string()), forced: z.boolean() })),
  /** Its lead is gone: it finishes its tool call and ends. */
  leaving: z.optional(z.boolean()),
  /** It is in the middle of a turn, or ended there: whoever goes on with it takes that up again. */
  midTurn: z.optional(z.boolean()),
  /** Where other sessions on this machine write to it. */
  socket: z.optional(z.string()),
  /** The lead has been told of its end. */
  endTold: z.optional(z.boolean()),
});
export type RunRecord = z.infer<typeof RunRecord>;

/** A member's own record, written by its member alone while that lives. */
export interface RunRecordFile {
  /** As it is in memory, ahead of the file by what is being written. */
  current(): RunRecord;
  /** Resolves once a state that includes this change is in the file. A field set to `undefined` is removed. */
  change(patch: Partial<RunRecord>): Promise<void>;
  beat(): Promise<void>;
  /** Waits for what is being written. */
  flush(): Promise<void>;
}

/** The record at `path`, whose folder must exist: it is never made, so that a late write brings no archived team back. */
export function openRunRecord(path: string, clock: Clock, initial: RunRecord): RunRecordFile {
  let record = initial;
  let writing: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;

  // Changes that come while a write is under way share the one after it.
  const save = (): Promise<void> => {
    next ??= writing
      .catch(() => {})
      .then(() => {
        next = undefined;
        writing = writeRunRecord(path, record);
        return writing;
      });
    return next;
  };

  return {
    current: () => record,
    change(patch) {
      record = { ...record, ...patch, counter: record.counter + 1, heartbeat: clock.now() };
      return save();
    },
    beat() {
      record = { ...record, heartbeat: clock.now() };
      return save();
    },
    flush: () => next ?? writing,
  };
}

/** `undefined` where there is no record, or only the empty file that a power cut leaves. @throws UserError for any other that is broken. */
export async function readRunRecord(path: string): Promise<RunRecord | undefined> {
  try {
    // At once: it is short, and those of a whole team are looked at again and again.
    const text = readFileSync(path, 'utf8');
    return text === '' ? undefined : parseJson(RunRecord, text, path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** The same for one who looks again and again: a file is read only when it is another than the last time. */
export function createRecordReader(): typeof readRunRecord {
  const seen = new Map<string, { readonly print: string | undefined; readonly record: RunRecord | undefined }>();
  return async (path) => {
    const print = fingerprint(path);
    const before = seen.get(path);
    if (before && before.print === print) return before.record;
    const record = await readRunRecord(path);
    seen.set(path, { print, record });
    return record;
  };
}

/** For a process that enforces or watches the end of a member; a living member writes its own. */
export async function writeRunRecord(path: string, record: RunRecord): Promise<void> {
  await writeAtomic(path, toJson(record), { durable: false });
}

export function hasEnded({ state }: RunRecord): boolean {
  return state === 'exited' || state === 'terminated';
}

/** The record as listings show it: `terminated` when its process is gone without having said so. One that has ended does nothing and waits for nothing. */
export async function liveRecord(record: RunRecord): Promise<RunRecord> {
  const isOver = hasEnded(record);
  if (!isOver && (await isAlive(record))) return record;
  const { waitingFor: _, requestId: __, activity: ___, questions: ____, ...rest } = record;
  return { ...rest, state: isOver ? record.state : 'terminated' };
}
