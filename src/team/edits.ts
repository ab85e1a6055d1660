import { open, realpath } from 'node:fs/promises';
import * as z from 'zod/mini';
import { openMailbox } from '../mailbox/mailbox.js';
import { HARNESS } from '../mailbox/message.js';
import { appendLine, parseRecords } from '../store/jsonLines.js';
import { isSameName } from '../util/names.js';
import { findMember } from './member.js';
import type { TeamPlace } from './messages.js';
import { openTeamFile } from './teamFile.js';

/** Edits this far apart, in milliseconds, are two people's work on one thing. */
const TOGETHER_MS = 30_000;
/** Bytes from the end of the file that are looked at: more than anybody writes into it in that time. */
const LOOK_BACK = 256 * 1024;

const SUMMARY = 'two members change one file';
const ADVICE = 'Read it again before you change it further, and settle with each other who works on it.';

const Edit = z.object({ path: z.string(), member: z.string(), at: z.number() });
export type Edit = z.infer<typeof Edit>;

/**
 * Notes in `edits.jsonl` that a member changed a file (its real path). Where another member changed the same one within
 * 30 s, both are told, once: the other by mail, which wakes nobody, this one by what is returned.
 */
export async function noteEdit(place: TeamPlace, member: string, file: string): Promise<string | undefined> {
  const path = await realpath(file).catch(() => file);
  const edit: Edit = { path, member, at: place.clock.now() };
  await appendLine(place.paths.edits, edit);
  const others = metBy(edit, await latestEdits(place.paths.edits));
  for (const other of others)
    await tell(place, other, `${member} has just changed ${path}, which you changed within the last 30 s. ${ADVICE}`);
  if (others.length === 0) return undefined;
  return `${others.join(' and ')} changed ${path} within the last 30 s before you did. ${ADVICE}`;
}

/** Who changed the file shortly before `edit`, for the first time since this member did: one pair is told once. */
export function metBy(edit: Edit, edits: readonly Edit[]): string[] {
  const isSame = (other: Edit) => other.path === edit.path && isSameName(other.member, edit.member);
  // What came behind it in the file sees it, and tells.
  const own = edits.findLastIndex((other) => isSame(other) && other.at === edit.at);
  const recent = edits
    .slice(0, Math.max(0, own))
    .filter(({ path, at }) => path === edit.path && edit.at - at <= TOGETHER_MS);
  if (recent.some(isSame)) return [];
  return [...new Set(recent.map((other) => other.member))];
}

async function tell(place: TeamPlace, to: string, text: string): Promise<void> {
  const team = await openTeamFile(place.paths.config).read();
  if (!team || !findMember(team, to)) return;
  const mailbox = openMailbox({ team: place.paths, member: to, clock: place.clock, ids: place.ids });
  await mailbox.deliver({ from: HARNESS, text, summary: SUMMARY });
}

async function latestEdits(path: string): Promise<readonly Edit[]> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - LOOK_BACK);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    const text = buffer.subarray(0, bytesRead).toString('utf8');
    return parseRecords(from === 0 ? text : text.slice(text.indexOf('\n') + 1), Edit).records;
  } finally {
    await file.close();
  }
}
