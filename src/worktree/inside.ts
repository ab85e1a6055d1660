import { realpath, stat } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import { hasCode } from '../util/errors.js';

/** Whether `path` is `folder` or lies below it, by name alone. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}${sep}`);
}

/** The same with every symbolic link on the way followed. What does not exist yet counts by the folder it would be in. */
export async function isReallyWithin(path: string, folder: string): Promise<boolean> {
  const root = await realpath(folder);
  for (let existing = path; ; existing = dirname(existing)) {
    try {
      return isWithin(await realpath(existing), root);
    } catch (error) {
      if (!hasCode(error, 'ENOENT', 'ENOTDIR') || existing === dirname(existing)) return false;
    }
  }
}

export async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
