import { constants } from 'node:fs';
import { copyFile, readFile, rename } from 'node:fs/promises';
import { type Clock, isoTime } from '../host/clock.js';
import { hasCode } from '../util/errors.js';
import { type Message, messageFrom } from './message.js';

export interface InboxArray {
  /** Oldest first, as the file has them. */
  readonly messages: readonly Message[];
  /** The file holds something that is no message: it was torn, or written by somebody who does not know the format. */
  readonly isBroken: boolean;
}

/** What of an inbox's array can be understood; nothing where there is no file. */
export async function readInboxArray(path: string): Promise<InboxArray> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return { messages: [], isBroken: false };
    if (hasCode(error, 'ERR_STRING_TOO_LONG', 'ERR_FS_FILE_TOO_LARGE')) return { messages: [], isBroken: true };
    throw error;
  }
  return inboxArrayOf(text);
}

export function inboxArrayOf(text: string): InboxArray {
  const whole = jsonOf(text);
  const records = Array.isArray(whole) ? whole : objectsIn(text);
  const messages = new Map<string, Message>();
  let understood = 0;
  for (const record of records) {
    const message = messageFrom(record, (id) => messages.has(id));
    if (!message) continue;
    understood++;
    if (!messages.has(message.msg_id)) messages.set(message.msg_id, message);
  }
  return { messages: [...messages.values()], isBroken: !Array.isArray(whole) || understood < records.length };
}

/** Copies a broken file aside before it is replaced. Returns the copy's path. */
export async function keepCorrupt(path: string, name: string, clock: Clock): Promise<string> {
  return asideOf(name, clock, (aside) => copyFile(path, aside, constants.COPYFILE_EXCL));
}

/** Moves something that cannot be read aside. Returns its new path. */
export async function moveCorrupt(path: string, name: string, clock: Clock): Promise<string> {
  return asideOf(name, clock, async (aside) => {
    // Takes the name first: a rename would replace an earlier copy in silence.
    await copyFile(path, aside, constants.COPYFILE_EXCL).catch((error) => {
      if (hasCode(error, 'EEXIST')) throw error;
    });
    await rename(path, aside);
  });
}

async function asideOf(name: string, clock: Clock, put: (aside: string) => Promise<void>): Promise<string> {
  const utc = isoTime(clock).replaceAll(':', '-');
  for (let copy = 1; ; copy++) {
    const aside = `${name}.corrupt-${utc}${copy === 1 ? '' : `-${copy}`}`;
    try {
      await put(aside);
      return aside;
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
  }
}

/** The whole objects of a torn JSON array, as far as they parse. */
function objectsIn(text: string): unknown[] {
  const found: unknown[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}]/gs)) {
    if (token === '{' && depth++ === 0) start = index;
    if (token !== '}' || depth === 0) continue;
    depth--;
    const object = depth === 0 ? jsonOf(text.slice(start, index + 1)) : undefined;
    if (object !== undefined) found.push(object);
  }
  return found;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
