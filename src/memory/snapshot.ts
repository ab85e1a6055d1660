import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode } from '../util/errors.js';

/** Remembers in a memory which snapshot it was last brought up to. */
const MARK = '.snapshot';
/** Bytes of a whole snapshot. */
const MAX_SIZE = 5_000_000;

/**
 * Notes that a project ships for an agent: they become its memory where it has none, and are never written over one.
 * Returns what the agent is told of a snapshot that it has not taken over yet, or nothing.
 */
export async function snapshotNote(snapshot: string, memory: string): Promise<string> {
  const files = await filesIn(snapshot);
  if (files.length === 0) return '';
  const stamp = stampOf(files);
  if (await isEmpty(memory)) {
    await copyTo(memory, [...files, { name: MARK, content: Buffer.from(stamp) }]);
    return '';
  }
  const taken = await readFile(join(memory, MARK), 'utf8').catch(() => '');
  if (taken.trim() === stamp) return '';
  return `The project ships notes for you in ${snapshot} that you have not taken over yet. Compare them with yours and take over what is right; then write "${stamp}" into ${join(memory, MARK)}, and you are not told again.`;
}

interface SnapshotFile {
  readonly name: string;
  readonly content: Buffer;
}

/** Regular files alone: a link in a project may lead anywhere. */
async function filesIn(folder: string): Promise<SnapshotFile[]> {
  const files: SnapshotFile[] = [];
  let size = 0;
  const walk = async (inside: string): Promise<void> => {
    const entries = await readdir(join(folder, inside), { withFileTypes: true }).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return [];
      throw error;
    });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const name = join(inside, entry.name);
      if (entry.isDirectory()) await walk(name);
      if (!entry.isFile()) continue;
      size += (await stat(join(folder, name))).size;
      if (size > MAX_SIZE) throw new Error(`The snapshot ${folder} has more than ${MAX_SIZE} bytes and is not used.`);
      files.push({ name, content: await readFile(join(folder, name)) });
    }
  };
  await walk('');
  return files;
}

function stampOf(files: readonly SnapshotFile[]): string {
  const hash = createHash('sha256');
  for (const { name, content } of files) hash.update(`${name}\0${content.length}\0`).update(content);
  return hash.digest('hex').slice(0, 16);
}

async function isEmpty(folder: string): Promise<boolean> {
  return readdir(folder).then(
    (names) => names.length === 0,
    (error: unknown) => {
      if (hasCode(error, 'ENOENT')) return true;
      throw error;
    },
  );
}

/** Whole or not at all: of two agents that begin at once, one's copy stays. */
async function copyTo(folder: string, files: readonly SnapshotFile[]): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const draft = await mkdtemp(`${folder}.`);
  try {
    for (const { name, content } of files) {
      await mkdir(dirname(join(draft, name)), { recursive: true });
      await writeFile(join(draft, name), content);
    }
    await rename(draft, folder);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
  }
}
