import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, isoTime } from '../host/clock.js';
import { appendLine } from '../store/jsonLines.js';
import type { TelemetryEvent } from './event.js';

/** Where events go. Never throws: that nobody can be told is no reason to stop. */
export interface Sink {
  tell(event: TelemetryEvent): void;
  /** All that was told has arrived, or never will. */
  close(): Promise<void>;
}

/** JSON lines in `<folder>/<UTC date>.jsonl`, for the user's eyes alone. */
export function fileSink(folder: string, clock: Clock): Sink {
  let writing: Promise<unknown> = mkdir(folder, { recursive: true, mode: 0o700 }).catch(() => {});
  return {
    tell(event) {
      const path = join(folder, `${isoTime(clock).slice(0, 10)}.jsonl`);
      writing = writing.then(() => appendLine(path, event)).catch(() => {});
    },
    async close() {
      await writing;
    },
  };
}

export function joinedSink(sinks: readonly Sink[]): Sink {
  return {
    tell(event) {
      for (const sink of sinks) sink.tell(event);
    },
    async close() {
      await Promise.all(sinks.map((sink) => sink.close()));
    },
  };
}
