import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Every file under `folders` with its text, and every folder: two of them are compared. */
export async function listing(...folders: readonly string[]): Promise<string[]> {
  const found = await Promise.all(folders.map(listOne));
  return found.flat().sort();
}

async function listOne(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => undefined);
  if (!entries) return [];
  const lines = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    return entry.isFile() ? `${path}: ${await readFile(path, 'utf8').catch(() => 'gone')}` : path;
  });
  return [folder, ...(await Promise.all(lines))];
}
