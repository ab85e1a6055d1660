import { renameSync } from 'node:fs';
import { open, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { systemIds } from '../host/ids.js';
import { onOpenFile } from './openFile.js';

export interface WriteOptions {
  /** Permission bits of the new file; 0600 unless given. */
  readonly mode?: number;
  /** Called with the draft's path when all is written, just before it counts; throw to leave the old file. */
  readonly beforeRename?: (draft: string) => void | Promise<void>;
  /** The last look: nothing of this process comes between it and the rename. Throw to leave the old file. */
  readonly lastLook?: () => void;
  /** False: whole for every reader, but a power cut may lose it. For what means nothing after one. */
  readonly durable?: boolean;
}

/** Replaces a file whole: readers need no lock, they see the old one or the new one. On disk when it returns. */
export async function writeAtomic(
  path: string,
  content: string | Uint8Array,
  { mode = 0o600, beforeRename, lastLook, durable = true }: WriteOptions = {},
): Promise<void> {
  // Not named after the process: ids come round again, and a draft left by a killed writer would be in the way.
  const draft = join(dirname(path), `${shortened(basename(path))}.${systemIds.hex(12)}.tmp`);
  try {
    await (durable ? writeSynced(draft, content, mode) : writeFile(draft, content, { mode, flag: 'wx' }));
    await beforeRename?.(draft);
    if (lastLook) {
      lastLook();
      renameSync(draft, path);
    } else await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  if (durable) await syncFolder(dirname(path));
}

/** So that with its end it is no longer than a name may be: 255 bytes. */
function shortened(name: string): string {
  return Buffer.byteLength(name) > 230
    ? Buffer.from(name)
        .toString('latin1', 0, 100)
        .replace(/[^\w.-]/g, '_')
    : name;
}

/** Makes a new file with everything in it on disk. @throws EEXIST when there is one already. */
export async function writeSynced(path: string, content: string | Uint8Array, mode = 0o600): Promise<void> {
  const file = await open(path, 'wx', mode);
  try {
    await onOpenFile(path, async () => {
      await file.writeFile(content);
      await file.sync();
    });
  } finally {
    await file.close();
  }
}

/** Makes renames and links in a folder survive a power cut. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
