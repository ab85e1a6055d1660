import { closeSync, openSync, readSync } from 'node:fs';
import { parse, v4, v5, v7, validate } from 'uuid';
import { systemClock } from './clock.js';

/** Where every id and every bit of randomness comes from, so that a test can make them repeat. */
export interface Ids {
  uuid(): string;
  /** A UUID that sorts by the time it was made (RFC 9562, version 7). */
  timeUuid(): string;
  /** `length` lower-case hexadecimal digits. */
  hex(length: number): string;
  /** At least 0, less than 1. */
  random(): number;
}

export const systemIds: Ids = {
  uuid: () => v4({ random: randomBytes(16) }),
  timeUuid: () => v7({ random: randomBytes(16), ...nextMoment() }),
  hex: (length) =>
    Buffer.from(randomBytes(Math.ceil(length / 2)))
      .toString('hex')
      .slice(0, length),
  random: () => Math.random(),
};

const POOL_BYTES = 1024;
let pool: Uint8Array = new Uint8Array(0);

/** Bytes that nobody was given before: a member that works needs some several times a turn. */
function randomBytes(count: number): Uint8Array {
  if (pool.length < count) pool = freshBytes(Math.max(count, POOL_BYTES));
  const bytes = pool.slice(0, count);
  pool = pool.subarray(count);
  return bytes;
}

/** The kernel's own randomness: loading either of Node's crypto modules takes a third of a bare node's start. */
function freshBytes(count: number): Uint8Array {
  const bytes = new Uint8Array(count);
  try {
    const device = openSync('/dev/urandom', 'r');
    try {
      if (readSync(device, bytes) === count) return bytes;
    } finally {
      closeSync(device);
    }
  } catch {
    // No such device: a system that is not Unix.
  }
  return crypto.getRandomValues(bytes);
}

let last = { msecs: 0, seq: 0 };

/** Ids of one process sort in the order in which they were made, within a millisecond too. */
function nextMoment(): { msecs: number; seq: number } {
  const msecs = Math.max(systemClock.now(), last.msecs);
  last = { msecs, seq: msecs === last.msecs ? last.seq + 1 : Buffer.from(randomBytes(4)).readUInt32BE() >>> 2 };
  return last;
}

/** Whether `text` may become part of a file name as an id. */
export function isUuid(text: string): boolean {
  return validate(text);
}

const NAMELESS = '8f0e6d0e-6f0b-5c4e-9d55-0a3a3e0d5b1c';

/** The same UUID for the same content, for records that came without an id (RFC 9562, version 5). */
export function uuidOf(content: string): string {
  return v5(content, NAMELESS);
}

/** The same for the same content and moment (milliseconds since the epoch), and sorts by that moment. */
export function timeUuidOf(content: string, at: number): string {
  return v7({ msecs: at, seq: 0, random: parse(uuidOf(content)) });
}
