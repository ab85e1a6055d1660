/** Something that reached an agent from outside its conversation: mail, an answer, typed text. */
export interface Arrival {
  /** What the model is told. */
  readonly text: string;
  readonly from: 'shutdown' | 'lead' | 'other';
  /** Ids of the messages and notices that this delivers; they are marked read once it is in the transcript. */
  readonly mail: readonly string[];
  /** The task whose one notice this is. */
  readonly notice?: string;
  /** Whether it starts a turn of an idle agent. One that does not waits for the next turn. */
  readonly wakes: boolean;
}

/** What waits for an agent. Filled by a dispatcher, emptied by the loop. */
export interface Arrivals {
  add(arrival: Arrival): void;
  /** All that waits, in the order shutdown, lead, others; nothing waits afterwards. */
  take(): readonly Arrival[];
  /** Whether something waits that would start a turn. */
  wakes(): boolean;
  /** Resolves when `wakes()` is true; rejects when aborted. */
  wait(signal: AbortSignal): Promise<void>;
}

const ORDER = { shutdown: 0, lead: 1, other: 2 } as const;

export function createArrivals(): Arrivals {
  let waiting: Arrival[] = [];
  let wake: (() => void) | undefined;
  const wakes = () => waiting.some((arrival) => arrival.wakes);
  return {
    add(arrival) {
      waiting.push(arrival);
      if (arrival.wakes) wake?.();
    },
    take() {
      const taken = waiting.toSorted((a, b) => ORDER[a.from] - ORDER[b.from]);
      waiting = [];
      return taken;
    },
    wakes,
    wait: (signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        if (wakes()) return resolve();
        const abort = () => reject(signal.reason);
        signal.addEventListener('abort', abort, { once: true });
        wake = () => {
          signal.removeEventListener('abort', abort);
          wake = undefined;
          resolve();
        };
      }),
  };
}
