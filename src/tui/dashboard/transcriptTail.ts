import { linesBehind } from '../../store/growingFile.js';
import { parseRecords } from '../../store/jsonLines.js';
import { TranscriptEntry } from '../../transcript/entry.js';
import { saidIn } from '../../transcript/resume.js';
import { head } from '../../util/text.js';
import { messageLines } from '../paneRenderer.js';

/** The end of a conversation, as a person reads it. */
export interface TranscriptTail {
  readonly path: string;
  readonly lines: readonly string[];
  /** More came before. */
  readonly isCut: boolean;
}

const FIRST_LOOK = 256 * 1024;
const MOST_LINES = 3000;
/** Longer than any line that is read here. */
const MOST_CHARACTERS = 10_000;

/** Follows one transcript at a time: of a long one only the end is read, and then what is new. */
export function createTranscriptTail() {
  let shown: TranscriptTail = { path: '', lines: [], isCut: false };
  let place = 0;
  return {
    async read(path: string | undefined): Promise<TranscriptTail> {
      if (path === undefined) return { path: '', lines: [], isCut: false };
      const isNew = path !== shown.path;
      const { text, from, end } = await linesBehind(path, isNew ? 0 : place, isNew ? FIRST_LOOK : undefined);
      if (isNew || end < place) shown = { path, lines: [], isCut: from > 0 };
      place = end;
      if (text === '') return shown;
      const fresh = saidIn(parseRecords(text, TranscriptEntry).records).flatMap((said) =>
        said === 'summary' ? ['… the conversation goes on from a summary'] : messageLines(said),
      );
      const lines = [...shown.lines, ...fresh];
      const isCut = shown.isCut || lines.length > MOST_LINES;
      shown = { path, lines: lines.slice(-MOST_LINES).map(clipped), isCut };
      return shown;
    },
  };
}

function clipped(line: string): string {
  return line.length <= MOST_CHARACTERS ? line : `${head(line, MOST_CHARACTERS)}…`;
}
