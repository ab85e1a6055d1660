import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A holder that lives shows it every few seconds. */
const STALE_MS = 15_000;

/** The locks under `root` that nobody holds any more. `now`: milliseconds since the epoch. */
export async function staleLocks(root: string, now: number): Promise<string[]> {
  const entries = await readdir(root, { recursive: true }).catch((): string[] => []);
  const locks = entries.filter((entry) => entry.endsWith('.lock')).map((entry) => join(root, entry));
  const ages = await Promise.all(locks.map(async (path) => (await stat(path).catch(() => undefined))?.mtimeMs ?? now));
  return locks.filter((_, index) => now - (ages[index] ?? now) > STALE_MS);
}
