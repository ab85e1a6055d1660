import type { Clock } from '../host/clock.js';
import type { Ids } from '../host/ids.js';
import { isOver, type Lane, type Refusal, refused } from './lane.js';

/**
 * What all who send requests have in common: the state of each lane, and things that only one may have. The names of
 * lanes are fit for file names.
 */
export interface TrafficStore {
  read(lane: string): Promise<Lane | undefined>;
  /** Changes a lane's state under a lock; `undefined` forgets it. */
  change(lane: string, change: (state: Lane | undefined) => Lane | undefined): Promise<Lane | undefined>;
  /** Takes what nobody living has, and returns how to give it back; `undefined` when somebody has it. */
  tryClaim(name: string): Promise<Release | undefined>;
}

export type Release = () => Promise<void>;

/** Leave to send one request. */
export interface Pass {
  /** Refusals in a row that the lane has seen. */
  readonly refusals: number;
  /** The service has begun to answer: nobody needs to hold back any more. */
  answered(): Promise<void>;
  /** The service refuses everybody for now. */
  refused(
    refusal: Pick<Refusal, 'retryAfterMs' | 'isOverload'>,
  ): Promise<{ readonly delayMs: number; readonly refusals: number }>;
  /** Makes room for the next request. To be called whatever happened. */
  leave(): Promise<void>;
}

/** Keeps the requests of many to a bound, and lets one alone find out whether a service that refused is back. */
export interface Traffic {
  /**
   * Waits for leave to send a request on this lane; `undefined` when it would have to wait where the model has been
   * overloaded `patience` times in a row. @throws the signal's reason.
   */
  enter(lane: string, signal: AbortSignal, patience: number): Promise<Pass | undefined>;
  enter(lane: string, signal: AbortSignal): Promise<Pass>;
}

export interface TrafficOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly store: TrafficStore;
  /** Requests in flight at once, on all lanes together. */
  readonly limit?: number;
}

const PROBE_POLL_MS = 100;
/** A service that lets one who tries it out wait for longer than this is tried by another. */
const PROBE_WINDOW_MS = 15_000;
const SLOT_POLL_MS = { first: 25, longest: 250 };

export function createTraffic({ clock, ids, store, limit }: TrafficOptions): Traffic {
  const sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
    try {
      await clock.sleep(ms, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  };
  const stateOf = async (lane: string): Promise<Lane | undefined> => {
    const state = await store.read(lane);
    return state && !isOver(state, clock.now()) ? state : undefined;
  };

  /** Waits until the lane is free, or until it is this request that tries it out. */
  const pastRefusals = async (
    lane: string,
    signal: AbortSignal,
    patience: number,
  ): Promise<Release | 'free' | 'overloaded'> => {
    for (;;) {
      signal.throwIfAborted();
      const state = await stateOf(lane);
      if (!state) return 'free';
      if (state.overloads >= patience) return 'overloaded';
      const waitMs = state.until - clock.now();
      if (waitMs > 0) {
        await sleep(waitMs, signal);
        continue;
      }
      const probe = await store.tryClaim(`probe-${lane}-${Math.floor(-waitMs / PROBE_WINDOW_MS)}`);
      if (!probe) {
        await sleep(PROBE_POLL_MS * (0.5 + ids.random()), signal);
        continue;
      }
      // Between the look and the claim another may have tried it.
      const now = await stateOf(lane);
      if (now?.at === state.at) return probe;
      await probe();
    }
  };

  const slot = async (signal: AbortSignal): Promise<Release | undefined> => {
    if (limit === undefined) return undefined;
    for (let pause = SLOT_POLL_MS.first; ; pause = Math.min(SLOT_POLL_MS.longest, pause * 2)) {
      signal.throwIfAborted();
      for (let number = 0; number < limit; number++) {
        const taken = await store.tryClaim(`slot-${number}`);
        if (taken) return taken;
      }
      await sleep(pause * (0.5 + ids.random()), signal);
    }
  };

  async function enter(lane: string, signal: AbortSignal): Promise<Pass>;
  async function enter(lane: string, signal: AbortSignal, patience: number): Promise<Pass | undefined>;
  async function enter(
    lane: string,
    signal: AbortSignal,
    patience = Number.POSITIVE_INFINITY,
  ): Promise<Pass | undefined> {
    for (;;) {
      const past = await pastRefusals(lane, signal, patience);
      if (past === 'overloaded') return undefined;
      const probe = past === 'free' ? undefined : past;
      const held: Release[] = probe ? [probe] : [];
      const leave = async () => {
        for (const release of held.splice(0)) await release();
      };
      try {
        const room = await slot(signal);
        if (room) held.push(room);
        // Waiting for room may have taken long.
        const state = await stateOf(lane);
        if (probe || !state)
          return passOn(lane, { isProbe: probe !== undefined, refusals: state?.refusals ?? 0, leave });
      } catch (error) {
        await leave();
        throw error;
      }
      await leave();
    }
  }

  const passOn = (
    lane: string,
    { isProbe, refusals, leave }: { isProbe: boolean; refusals: number; leave: Release },
  ): Pass => {
    const begun = clock.now();
    return {
      refusals,
      async answered() {
        if (isProbe) await store.change(lane, (state) => (state && state.at > begun ? state : undefined));
      },
      async refused(refusal) {
        const random = ids.random();
        const state = await store.change(lane, (before) =>
          refused(before, { ...refusal, now: clock.now(), begun, random }),
        );
        return { delayMs: Math.max(0, (state?.until ?? 0) - clock.now()), refusals: state?.refusals ?? 0 };
      },
      leave,
    };
  };
  return { enter };
}

/** For a client that shares nothing. */
export function privateStore(): TrafficStore {
  const lanes = new Map<string, Lane>();
  const claimed = new Set<string>();
  return {
    read: async (lane) => lanes.get(lane),
    async change(lane, change) {
      const next = change(lanes.get(lane));
      if (next) lanes.set(lane, next);
      else lanes.delete(lane);
      return next;
    },
    async tryClaim(name) {
      if (claimed.has(name)) return undefined;
      claimed.add(name);
      return async () => void claimed.delete(name);
    },
  };
}
