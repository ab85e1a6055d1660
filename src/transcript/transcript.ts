import { type FileHandle, open } from 'node:fs/promises';
import { type Clock, isoTime } from '../host/clock.js';
import type { Ids } from '../host/ids.js';
import { readRecords } from '../store/jsonLines.js';
import { mendTail } from '../store/lineTail.js';
import { onOpenFile } from '../store/openFile.js';
import { type EntryType, TranscriptEntry } from './entry.js';

export interface NewEntry {
  readonly type: EntryType;
  readonly message: unknown;
  readonly msg_ids?: readonly string[] | undefined;
  /** Further fields are kept as they are. */
  readonly [field: string]: unknown;
}

/** A conversation on disk, append-only. */
export interface Transcript {
  /** Every line that can be read, and the numbers (from 1) of those that cannot. A last line torn by a crash is neither. */
  load(): Promise<{ entries: readonly TranscriptEntry[]; broken: readonly number[] }>;
  /**
   * On disk when it returns; the cost does not grow with the file. Calls are carried out in their order. With `goesOn` the
   * process's own death does not lose it any more when it returns, while a power cut may until the disk has followed: the
   * next call waits for that, and fails where it did.
   */
  append(entry: NewEntry, how?: { readonly goesOn: boolean }): Promise<TranscriptEntry>;
  /** Waits for what is being written. The next append opens the file again. */
  close(): Promise<void>;
}

export interface TranscriptOptions {
  readonly sessionId: string;
  /** Given for a sub-agent's sidechain. */
  readonly agentId?: string | undefined;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** The transcript at `path`, whose folder must exist for it to be written. */
export function openTranscript(path: string, { sessionId, agentId, clock, ids }: TranscriptOptions): Transcript {
  let file: FileHandle | undefined;
  let parentUuid: string | null = null;
  let queue: Promise<unknown> = Promise.resolve();
  let syncing: Promise<void> | undefined;

  const synced = async () => {
    const before = syncing;
    syncing = undefined;
    try {
      await before;
    } catch (error) {
      await close().catch(() => {});
      throw error;
    }
  };

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = queue.then(synced).then(work);
    queue = result.catch(() => {});
    return result;
  };

  const opened = async (): Promise<FileHandle> => {
    if (file) return file;
    const handle = await open(path, 'a+', 0o600);
    try {
      const { last: line } = await onOpenFile(path, () => mendTail(handle));
      const last = TranscriptEntry.safeParse(line);
      parentUuid = last.success ? last.data.uuid : null;
    } catch (error) {
      await handle.close();
      throw error;
    }
    file = handle;
    return handle;
  };

  const close = async () => {
    const handle = file;
    file = undefined;
    await handle?.close();
  };

  return {
    async load() {
      const { records, broken } = await readRecords(path, TranscriptEntry);
      return { entries: records, broken };
    },
    append: (entry, { goesOn } = { goesOn: false }) =>
      inTurn(async () => {
        const handle = await opened();
        const line = TranscriptEntry.parse({
          ...entry,
          uuid: ids.uuid(),
          parentUuid,
          sessionId,
          ...(agentId !== undefined && { agentId }),
          isSidechain: agentId !== undefined,
          timestamp: isoTime(clock),
        });
        try {
          await onOpenFile(path, () => handle.appendFile(`${JSON.stringify(line)}\n`));
          const sync = onOpenFile(path, () => handle.datasync());
          if (!goesOn) await sync;
          else {
            syncing = sync;
            sync.catch(() => {});
          }
        } catch (error) {
          // Half a line may be there: opening again cuts it off.
          await close().catch(() => {});
          throw error;
        }
        parentUuid = line.uuid;
        return line;
      }),
    close: () => inTurn(close),
  };
}
