import { v5, v7, validate } from 'uuid';

// Web Crypto, for `node:crypto` takes a third of a bare node's start.

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
  uuid: () => crypto.randomUUID(),
  timeUuid: () => v7(),
  hex: (length) =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(Math.ceil(length / 2))))
      .toString('hex')
      .slice(0, length),
  random: () => Math.random(),
};

/** Whether `text` may become part of a file name as an id. */
export function isUuid(text: string): boolean {
  return validate(text);
}

const NAMELESS = '8f0e6d0e-6f0b-5c4e-9d55-0a3a3e0d5b1c';

/** The same UUID for the same content, for records that came without an id (RFC 9562, version 5). */
export function uuidOf(content: string): string {
  return v5(content, NAMELESS);
}
