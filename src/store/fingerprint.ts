import { stat } from 'node:fs/promises';
import { hasCode } from '../util/errors.js';

/** Another one after each write; `undefined` where there is no file. Costs a stat, however long the file. */
export async function fingerprint(path: string): Promise<string | undefined> {
  try {
    const { mtimeMs, size, ino } = await stat(path);
    return `${ino} ${size} ${mtimeMs}`;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}
