import { readdir, readlink } from 'node:fs/promises';
import { sep } from 'node:path';

/** The living processes that work in `folder` or below it. Linux only: elsewhere the list is empty. */
export async function processesIn(folder: string): Promise<number[]> {
  if (process.platform !== 'linux') return [];
  const found: number[] = [];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    // A process that is gone or another user's has no folder that can be read.
    const cwd = await readlink(`/proc/${entry}/cwd`).catch(() => '');
    if (cwd === folder || cwd.startsWith(`${folder}${sep}`)) found.push(Number(entry));
  }
  return found;
}
