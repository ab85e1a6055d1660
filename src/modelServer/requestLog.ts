import type { Outcome } from './exchange.js';

/** One request as it came in and was answered. */
export interface LoggedRequest extends Outcome {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly path: string;
  /** `metadata.user_id`; empty when there is none. */
  readonly userId: string;
  readonly model: string;
  readonly body: unknown;
  /** The client hung up before the answer was whole. */
  readonly hungUp?: boolean;
}

export interface RequestLog {
  /** `bytes`: how much memory the entry stands for. Returns a way to change it. */
  add(entry: LoggedRequest, bytes: number): (change: Partial<LoggedRequest>) => void;
  /** Those that are kept, oldest first. */
  all(): LoggedRequest[];
  /** How many were dropped to stay within the bounds. */
  readonly dropped: number;
}

export interface LogBounds {
  readonly entries: number;
  readonly bytes: number;
}

const BOUNDS: LogBounds = { entries: 10_000, bytes: 64 * 1024 * 1024 };

/** The newest requests. The last one is kept however large it is. */
export function createRequestLog({ entries, bytes }: LogBounds = BOUNDS): RequestLog {
  let kept: { entry: LoggedRequest; readonly bytes: number }[] = [];
  let size = 0;
  let dropped = 0;
  return {
    get dropped() {
      return dropped;
    },
    all: () => kept.map(({ entry }) => entry),
    add(entry, ofEntry) {
      const item = { entry, bytes: ofEntry };
      kept.push(item);
      size += ofEntry;
      let from = 0;
      while (from < kept.length - 1 && (kept.length - from > entries || size > bytes)) size -= kept[from++]?.bytes ?? 0;
      if (from > 0) kept = kept.slice(from);
      dropped += from;
      return (change) => {
        item.entry = { ...item.entry, ...change };
      };
    },
  };
}
