import { constants, statSync } from 'node:fs';
import { access, chmod, chown, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ToolContext } from '../../../agent/tool.js';
import { writeAtomic } from '../../../store/atomicFile.js';
import { hasCode, isSystemError, messageOf, ToolError } from '../../../util/errors.js';
import { wellFormed } from '../../../util/text.js';
import { type FileState, fileState } from './textFile.js';

/**
 * Replaces a file whole, or makes it with its folders; keeps its permission bits and, where it may, its owner, and notes
 * the result as read.
 * @param before what it was when it was looked at, `undefined` for a new one.
 * @throws ToolError when it has changed since.
 */
export async function replaceFile(
  path: string,
  content: string | Buffer,
  before: FileState | undefined,
  { readLedger, signal }: Pick<ToolContext, 'readLedger' | 'signal'>,
  partial = false,
): Promise<void> {
  if (before) await requireWritable(path, before);
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeAtomic(path, typeof content === 'string' ? wellFormed(content) : content, {
      mode: before?.mode ?? 0o666,
      beforeRename: async (draft) => {
        if (before) await keepOwner(draft, before);
      },
      lastLook() {
        signal.throwIfAborted();
        // Of two agents that edit it at once, the later one must see what the other did.
        if (!isSame(before, statSync(path, { throwIfNoEntry: false }))) throw changedSince(path);
      },
    });
  } catch (error) {
    if (!isSystemError(error)) throw error;
    if (hasCode(error, 'EEXIST', 'ENOTDIR'))
      throw new ToolError(`${path} cannot be made: of what it names as its folders, one is a file.`, { cause: error });
    throw new ToolError(`${path} could not be written: ${messageOf(error)}`, { cause: error });
  }
  const { mtimeMs, size } = await fileState(path);
  readLedger.record(path, { mtimeMs, size, partial });
}

/** The folder alone decides who may put another file in a file's place; the file's own bits say who should. */
async function requireWritable(path: string, { mode }: FileState): Promise<void> {
  const isWritable =
    (mode & 0o222) !== 0 &&
    (await access(path, constants.W_OK).then(
      () => true,
      () => false,
    ));
  if (!isWritable)
    throw new ToolError(
      `${path} is read-only (mode ${mode.toString(8).padStart(4, '0')}), so it was not changed. If it is meant to be, make it writable first (chmod u+w).`,
    );
}

/** Who may not give a file away keeps the bits at least, but not those that would lend its own powers. */
async function keepOwner(draft: string, { uid, gid, mode }: FileState): Promise<void> {
  const made = await fileState(draft);
  const isKept =
    (made.uid === uid && made.gid === gid) ||
    (await chown(draft, uid, gid).then(
      () => true,
      () => false,
    ));
  await chmod(draft, isKept ? mode : mode & 0o777);
}

/** @throws ToolError unless the agent has seen the file as it is now. */
export function requireRead(path: string, now: FileState, { readLedger }: ToolContext): { readonly partial: boolean } {
  const known = readLedger.get(path);
  if (known === undefined) throw new ToolError(`${path} exists and was not read yet. Read it first.`);
  if (!isSame(known, now)) throw changedSince(path);
  return known;
}

export async function stateOrNothing(path: string): Promise<FileState | undefined> {
  try {
    return await fileState(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw isSystemError(error)
      ? new ToolError(`${path} cannot be written: ${messageOf(error)}`, { cause: error })
      : error;
  }
}

type Seen = Pick<FileState, 'mtimeMs' | 'size'>;

function isSame(a: Seen | undefined, b: Seen | undefined): boolean {
  return a?.mtimeMs === b?.mtimeMs && a?.size === b?.size;
}

function changedSince(path: string): ToolError {
  return new ToolError(
    `${path} has changed since it was read, by the user, another agent or a program. Read it again first.`,
  );
}
