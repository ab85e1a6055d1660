import { several } from '../../../report/page/words.js';
import { messageOf, UserError } from '../../../util/errors.js';

/** What a report could not read or has no room for, told on the page. */
export interface Missing {
  /** `what` was left out. */
  say(what: string): void;
  /** Lines that were torn by a crash, or are no lines of such a file. */
  lines(count: number, of: string, path: string): void;
  /** What `read` gives; where that fails `otherwise`, and a note of it: one file that is broken takes nothing else away. */
  reading<T>(path: string, otherwise: T, read: () => Promise<T>): Promise<T>;
  readonly sentences: readonly string[];
}

export function createMissing(): Missing {
  const sentences: string[] = [];
  return {
    sentences,
    say: (what) => void sentences.push(`${what}.`),
    lines(count, of, path) {
      if (count > 0) sentences.push(`${several(count, 'line')} of ${of} could not be read: ${path}`);
    },
    async reading(path, otherwise, read) {
      try {
        return await read();
      } catch (error) {
        if (!isAboutFiles(error)) throw error;
        sentences.push(`${path} could not be read: ${messageOf(error)}`);
        return otherwise;
      }
    },
  };
}

/** What the disk refuses or a file holds, and no fault of ours. */
function isAboutFiles(error: unknown): boolean {
  return error instanceof UserError || (error instanceof Error && 'code' in error);
}
