import { readFile, rm } from 'node:fs/promises';
import * as z from 'zod/mini';
import type { Clock } from '../host/clock.js';
import { isAlive, type ProcessRef } from '../host/processes.js';
import { readJson, writeJson } from '../store/jsonFile.js';
import { withLock } from '../store/lock.js';
import { hasCode } from '../util/errors.js';

/** When a memory was last put in order: `memory/<project>.dream.json`. Times are milliseconds since the epoch. */
const DreamState = z.looseObject({
  dreamtAt: z.optional(z.number()),
  scannedAt: z.optional(z.number()),
  /** What the last one came to. */
  last: z.optional(z.looseObject({ sessions: z.array(z.string()), files: z.array(z.string()), turns: z.number() })),
});
type DreamState = z.infer<typeof DreamState>;

const Holder = z.object({
  pid: z.number(),
  procStart: z.string(),
  at: z.number(),
  /** When the memory was put in order before: that counts again where the holder dies over it. */
  before: z.optional(z.number()),
});

/** A session that may have taught something. */
export interface PastSession {
  readonly id: string;
  /** When it ended, or began where it has not. */
  readonly at: number;
}

export type DreamPhase = 'starting' | 'updating';

/** What one dream reads, and whom it tells what it does. */
export interface Dreaming {
  readonly sessions: readonly PastSession[];
  /** To be called with each file that is written. */
  readonly edited: (path: string) => void;
}

export interface DreamDeps {
  readonly clock: Clock;
  /** Kept beside the memory, where the dream itself cannot write. Absolute; the folder exists. */
  readonly stateFile: string;
  readonly self: ProcessRef;
  /** All sessions of the project but the own one. */
  readonly sessions: () => Promise<readonly PastSession[]>;
  /** Puts the memory in order. Returns how many turns it took. @throws when it could not, or was aborted. */
  readonly run: (dreaming: Dreaming, signal: AbortSignal) => Promise<number>;
  readonly onPhase?: (phase: DreamPhase) => void;
}

export type DreamEnd =
  | { readonly kind: 'not-yet'; readonly because: 'recent' | 'just-scanned' | 'few-sessions' | 'taken' }
  | {
      readonly kind: 'done';
      readonly sessions: readonly string[];
      readonly files: readonly string[];
      readonly turns: number;
    };

const HOUR_MS = 3_600_000;
const BETWEEN_MS = 24 * HOUR_MS;
const BETWEEN_SCANS_MS = 600_000;
const FEWEST_SESSIONS = 5;
/** A holder that lives is left alone for this long. */
const STALE_MS = HOUR_MS;

/**
 * Puts a project's memory in order where it is time for that: a day after the last, with five sessions since, and
 * nobody else at it. @throws what `run` throws; it then counts as if it had never been begun.
 */
export async function dream(deps: DreamDeps, signal: AbortSignal): Promise<DreamEnd> {
  const { clock, stateFile, onPhase } = deps;
  const state = (await readJson(stateFile, DreamState)) ?? {};
  const now = clock.now();
  const dreamtAt = unlessAhead(await lastDream(state, stateFile), now, BETWEEN_MS);
  const scannedAt = unlessAhead(state.scannedAt ?? 0, now, BETWEEN_SCANS_MS);
  if (now - dreamtAt < BETWEEN_MS) return { kind: 'not-yet', because: 'recent' };
  if (now - scannedAt < BETWEEN_SCANS_MS) return { kind: 'not-yet', because: 'just-scanned' };
  const sessions = (await deps.sessions()).filter(({ at }) => at > dreamtAt);
  if (sessions.length < FEWEST_SESSIONS) {
    await change(stateFile, (before) => ({ ...before, scannedAt: now }));
    return { kind: 'not-yet', because: 'few-sessions' };
  }
  if (!(await take(deps, dreamtAt))) return { kind: 'not-yet', because: 'taken' };

  const files = new Set<string>();
  try {
    onPhase?.('starting');
    const edited = (path: string) => {
      if (files.size === 0) onPhase?.('updating');
      files.add(path);
    };
    const turns = await deps.run({ sessions, edited }, signal);
    signal.throwIfAborted();
    const last = { sessions: sessions.map(({ id }) => id), files: [...files], turns };
    await change(stateFile, (before) => ({ ...before, last }));
    return { kind: 'done', ...last };
  } catch (error) {
    await change(stateFile, ({ dreamtAt: _, ...before }) => ({ ...before, ...(dreamtAt > 0 && { dreamtAt }) }));
    throw error;
  } finally {
    await release(deps);
  }
}

/** A stamp of a clock that was wrong keeps nobody waiting for years. */
const unlessAhead = (stamp: number, now: number, most: number) => (stamp - now > most ? 0 : stamp);

/** One that was killed in the middle never was. */
async function lastDream({ dreamtAt = 0 }: DreamState, stateFile: string): Promise<number> {
  const holder = await holderOf(stateFile);
  if (holder?.before === undefined || holder.at !== dreamtAt || (await isAlive(holder))) return dreamtAt;
  return holder.before;
}

const lockOf = (stateFile: string) => stateFile.replace(/(\.json)?$/, '.lock');

/** Whether this process is the one that does it from here on; the time stamp is set with that. */
async function take({ clock, stateFile, self }: DreamDeps, dreamtAt: number): Promise<boolean> {
  return withLock(stateFile, async (stillOurs) => {
    const before = (await readJson(stateFile, DreamState)) ?? {};
    // Another one may have done it since this one looked.
    const last = await lastDream(before, stateFile);
    if (unlessAhead(last, clock.now(), BETWEEN_MS) !== dreamtAt) return false;
    const holder = await holderOf(stateFile);
    if (holder && clock.now() - holder.at < STALE_MS && (await isAlive(holder))) return false;
    stillOurs();
    const at = clock.now();
    await writeJson(lockOf(stateFile), { ...self, at, before: dreamtAt });
    await writeJson(stateFile, { ...before, dreamtAt: at, scannedAt: at });
    return true;
  });
}

/** Nothing where there is none, or where it cannot be read: nobody can be at it then. */
async function holderOf(stateFile: string): Promise<z.infer<typeof Holder> | undefined> {
  try {
    return Holder.parse(JSON.parse(await readFile(lockOf(stateFile), 'utf8')));
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EIO')) throw error;
    return undefined;
  }
}

/** Takes its own lock back; not that of whoever took it over. */
async function release({ stateFile, self }: DreamDeps): Promise<void> {
  await withLock(stateFile, async () => {
    const holder = await holderOf(stateFile);
    if (holder?.pid === self.pid && holder.procStart === self.procStart) await rm(lockOf(stateFile), { force: true });
  });
}

async function change(stateFile: string, to: (before: DreamState) => DreamState): Promise<void> {
  await withLock(stateFile, async () => writeJson(stateFile, to((await readJson(stateFile, DreamState)) ?? {})));
}
