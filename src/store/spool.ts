import { readdirSync } from 'node:fs';
import { link, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemIds } from '../host/ids.js';
import { hasCode } from '../util/errors.js';
import { syncFolder, writeSynced } from './atomicFile.js';

/** Delivery without a lock, as in a Maildir: a file is written in `tmp` and moved into `new` when it is whole. */
export interface Spool {
  /** Where deliveries appear, for whoever watches. */
  readonly delivered: string;
  /** Makes the spool's folders inside their existing parent. @throws ENOENT where there is no parent. */
  prepare(): Promise<void>;
  /** On disk, whole, when it returns: neither side's death nor a power cut loses it. */
  deliver(name: string, text: string): Promise<void>;
  /** What has been delivered and not removed, by name. */
  list(): string[];
  read(name: string): Promise<string | undefined>;
  remove(name: string): Promise<void>;
}

/** The spool in `folder`. Delivery makes the folder inside an existing parent, never the parent. */
export function openSpool(folder: string): Spool {
  const drafts = join(folder, 'tmp');
  const delivered = join(folder, 'new');
  const prepare = async () => {
    for (const path of [folder, drafts, delivered]) await makeFolder(path);
  };
  const put = async (name: string, text: string) => {
    const draft = join(drafts, `${name}.${systemIds.hex(8)}`);
    try {
      await writeSynced(draft, text);
      await rename(draft, join(delivered, name));
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    await syncFolder(delivered);
  };
  return {
    delivered,
    prepare,
    async deliver(name, text) {
      try {
        await put(name, text);
      } catch (error) {
        if (!hasCode(error, 'ENOENT')) throw error;
        await prepare();
        await put(name, text);
      }
    },
    list() {
      try {
        // At once: each of many members looks every second.
        return readdirSync(delivered).sort();
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return [];
        throw error;
      }
    },
    async read(name) {
      try {
        return await readFile(join(delivered, name), 'utf8');
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return undefined;
        throw error;
      }
    },
    remove: (name) => rm(join(delivered, name), { force: true }),
  };
}

/** Makes one folder, private to its user, where its parent exists. */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
    await syncFolder(dirname(path));
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

/** Puts a whole file in place unless there is one: of several writers exactly one gets true. On disk when it returns. */
export async function createExclusive(path: string, text: string, draftName = systemIds.hex(8)): Promise<boolean> {
  const draft = `${path}.${draftName}.tmp`;
  await writeSynced(draft, text);
  try {
    await link(draft, path);
    await syncFolder(dirname(path));
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
