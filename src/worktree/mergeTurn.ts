import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { type Clock, isoTime } from '../host/clock.js';
import { isAlive, thisProcess } from '../host/processes.js';
import type { Run } from '../host/run.js';
import { readJson, writeJson } from '../store/jsonFile.js';
import { LockBusyError, withLock } from '../store/lock.js';
import { ExitCode, UserError } from '../util/errors.js';
import { commonFolder, git } from './git.js';

/** Who merges just now, as others read it who wait for their turn. */
const Merger = z.object({
  pid: z.number(),
  procStart: z.string(),
  /** Whose work it merges, and where. */
  what: z.string(),
  /** ISO 8601. */
  since: z.string(),
});

export interface MergeTurn {
  readonly run: Run;
  readonly clock: Clock;
  readonly checkout: string;
  /** For those who wait: what is merged, as `the work of alice into /repo`. */
  readonly what: string;
  /** Ends the waiting, not the work. */
  readonly signal: AbortSignal;
  /** Told once of each whom it waits for. */
  readonly onWait: (line: string) => void;
}

const LOOK_MS = 1000;
/** A lock whose holder nobody knows is taken over before that, unless the holder lives. */
const UNKNOWN_MS = 30_000;

/**
 * Only one merge at a time in all checkouts of a repository: one that fails undoes nobody else's. Whoever comes second
 * waits as long as the first one's process lives, one that was stopped too.
 */
export async function whileMerging<T>(turn: MergeTurn, work: () => Promise<T>): Promise<T> {
  const { run, clock, checkout, what, signal, onWait } = turn;
  const path = join(await commonFolder(git(run, checkout), checkout), 'troupe-merge');
  const note = `${path}.json`;
  const merger = () => readJson(note, Merger).catch(() => undefined);
  const told = new Set<number>();
  const giveUp = clock.monotonic() + UNKNOWN_MS;
  for (;;) {
    signal.throwIfAborted();
    const other = await merger();
    const isBusy = other !== undefined && (await isAlive(other));
    if (isBusy) {
      if (!told.has(other.pid))
        onWait(
          `Waiting for process ${other.pid}, which merges ${other.what} since ${other.since}. Ctrl-C ends the wait.`,
        );
      told.add(other.pid);
      await clock.sleep(LOOK_MS, signal);
      continue;
    }
    try {
      return await withLock(path, () => inTurn(), undefined, { forMs: LOOK_MS, signal });
    } catch (error) {
      if (!(error instanceof LockBusyError)) throw error;
      if (clock.monotonic() > giveUp)
        throw new UserError(
          `Somebody holds ${path}.lock and does not say who. When no merge runs, remove it: rm -r ${path}.lock`,
          ExitCode.failed,
          { cause: error },
        );
    }
  }

  async function inTurn(): Promise<T> {
    const other = await merger();
    // Its lock went stale while it was stopped; what it does when it goes on is still its merge.
    if (other && (await isAlive(other))) throw new LockBusyError(path, LOOK_MS);
    await writeJson(note, { ...(await thisProcess()), what, since: isoTime(clock) });
    try {
      return await work();
    } finally {
      await rm(note, { force: true });
    }
  }
}
