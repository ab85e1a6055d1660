import { systemClock } from '../host/clock.js';
import { systemIds } from '../host/ids.js';
import { createQueue, type Queue } from '../util/queue.js';

/** A lock whose holder shows no life for this long may be taken over. */
const STALE_MS = 10_000;
// Longer than the stale window, so that a lock left by a killed holder is outlived and not reported.
const GIVE_UP_MS = 30_000;
const RETRIES = { retries: 10, minTimeout: 5, maxTimeout: 100, factor: 1.5, randomize: true };

/** Tells whoever holds a lock whether it still does; throws when it was taken over. */
export type StillOurs = () => void;

/** Those of this process stand in line, by lock: against each other they would lose their time in retries. */
const lines = new Map<string, Queue>();

/** Another process took the lock over while its holder was stopped. Nothing that `stillOurs` guards was written. */
export class LockLostError extends Error {
  override readonly name = 'LockLostError';
}

/** Somebody else held the lock all the time. The work was not done. */
export class LockBusyError extends Error {
  override readonly name = 'LockBusyError';

  constructor(path: string, forMs: number, options?: ErrorOptions) {
    super(
      `Could not get the lock on ${path} in ${forMs / 1000} s. Another process holds it: see troupe doctor.`,
      options,
    );
  }
}

export interface Patience {
  /** Milliseconds until it gives up: 30 s unless given. */
  readonly forMs?: number;
  /** Ends the waiting, not the work. */
  readonly signal?: AbortSignal;
}

/**
 * Runs `work` while nobody else, in this process or another, runs under the lock of the same path. The path need not
 * exist, its folder must. The lock is the folder `lockPath`.
 * @throws LockBusyError when the lock cannot be had in time; the work is then not done, never done without the lock.
 */
export async function withLock<T>(
  path: string,
  work: (stillOurs: StillOurs) => Promise<T>,
  lockPath = `${path}.lock`,
  patience: Patience = {},
): Promise<T> {
  const line = lines.get(lockPath) ?? createQueue();
  lines.set(lockPath, line);
  try {
    return await line.run(() => underLock(path, work, lockPath, patience));
  } finally {
    // Somebody who comes just now stands in a new line, and is held off by the lock itself.
    if (line.waiting === 0) lines.delete(lockPath);
  }
}

async function underLock<T>(
  path: string,
  work: (stillOurs: StillOurs) => Promise<T>,
  lockPath: string,
  patience: Patience,
): Promise<T> {
  const { default: lockfile } = await import('proper-lockfile');
  let lost: Error | undefined;
  const options = {
    realpath: false,
    lockfilePath: lockPath,
    stale: STALE_MS,
    retries: RETRIES,
    // The default handler throws inside a timer and takes the process down.
    onCompromised: (error: Error) => {
      lost = error;
    },
  };
  const release = await acquire(() => lockfile.lock(path, options), path, patience);
  try {
    return await work(() => {
      if (lost) throw new LockLostError(`Lost the lock on ${path}: another process took it over.`, { cause: lost });
    });
  } finally {
    if (!lost) await release().catch(() => {});
  }
}

async function acquire(
  lock: () => Promise<() => Promise<void>>,
  path: string,
  { forMs = GIVE_UP_MS, signal }: Patience,
): Promise<() => Promise<void>> {
  const giveUp = systemClock.monotonic() + forMs;
  for (;;) {
    try {
      return await lock();
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ELOCKED')) throw error;
      if (systemClock.monotonic() > giveUp) throw new LockBusyError(path, forMs, { cause: error });
      await systemClock.sleep(20 + 80 * systemIds.random(), signal);
    }
  }
}
