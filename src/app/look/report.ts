import { constants } from 'node:fs';
import { open, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { currentFolder } from '../../config/env.js';
import { PAGE_BEGINNING, reportPage } from '../../report/page/page.js';
import { writeAtomic } from '../../store/atomicFile.js';
import { hasCode, isSystemError, messageOf, UserError } from '../../util/errors.js';
import type { World } from '../services.js';
import { chooseAnyTeam } from './anyTeam.js';
import { storyOf } from './report/story.js';

export interface WrittenReport {
  /** Absolute. */
  readonly path: string;
  readonly bytes: number;
}

/**
 * Writes the run of a team, an archived one too, as one page to `file`. An earlier report there is replaced, anything
 * else only with `force`. @throws UserError for an unknown team, and where the page cannot be written.
 */
export async function writeReport(
  world: Pick<World, 'home' | 'clock' | 'ids'>,
  given: string | undefined,
  { file, force }: { readonly file: string; readonly force: boolean },
): Promise<WrittenReport> {
  const found = await chooseAnyTeam(world, given);
  const path = resolve(currentFolder(), file);
  // Before a long look at transcripts too.
  const { target, mode } = await onDisk(path, () => checkTarget(path, force));
  const page = Buffer.from(reportPage(await storyOf(world, found)));
  const beforeRename = async () => void (await checkTarget(path, force));
  await onDisk(path, () => writeAtomic(target, page, { mode, beforeRename }));
  return { path, bytes: page.length };
}

/** @throws UserError where the disk refuses `work`. */
async function onDisk<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isSystemError(error)) throw error;
    // Without the name of the draft, which means nothing to anybody.
    const [reason] = messageOf(error).split(', ');
    throw new UserError(`${path} cannot be written: ${reason}`, undefined, { cause: error });
  }
}

/** Where the page goes: a link is followed. It holds what members saw, so a new file is its user's alone. */
async function checkTarget(path: string, force: boolean): Promise<{ readonly target: string; readonly mode: number }> {
  const target = await realpath(path).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return path;
    throw error;
  });
  const facts = await stat(target).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  if (!facts) {
    await requireFolder(target);
    return { target, mode: 0o600 };
  }
  if (!facts.isFile()) throw new UserError(`${path} is ${facts.isDirectory() ? 'a folder' : 'no file'}: name a file.`);
  if (!force && !(await isReport(target)))
    throw new UserError(`${path} is there already and is no report of troupe's. Name another file, or say --force.`);
  return { target, mode: facts.mode & 0o777 };
}

async function requireFolder(path: string): Promise<void> {
  const folder = dirname(path);
  const facts = await stat(folder).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  if (!facts?.isDirectory())
    throw new UserError(
      `${path} cannot be written: there is no folder ${folder}. Make it first, or name another file.`,
    );
}

async function isReport(path: string): Promise<boolean> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const beginning = Buffer.from(PAGE_BEGINNING);
    const { bytesRead, buffer } = await file.read(Buffer.alloc(beginning.length), 0, beginning.length, 0);
    return bytesRead === beginning.length && buffer.equals(beginning);
  } finally {
    await file.close();
  }
}
