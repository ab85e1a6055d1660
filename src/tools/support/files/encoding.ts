import { ToolError } from '../../../util/errors.js';
import type { Encoding } from './fileKind.js';

// What Windows-1252 has in place of the controls 0x80 to 0x9f (WHATWG's index). Node 20 decodes it as plain Latin-1.
const HIGH = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';
const FIRST = 0x80;

/** Decodes bytes that come in pieces, the mark included. The last call has none. @throws TypeError for what is not of a fatal encoding. */
export function decoderFor(encoding: Encoding, fatal: boolean, ignoreBOM = true): (bytes?: Uint8Array) => string {
  if (encoding === 'windows-1252') return (bytes = new Uint8Array()) => fromOneByte(bytes);
  const decoder = new TextDecoder(encoding, { fatal, ignoreBOM });
  return (bytes) => (bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true }));
}

/** Decodes whole bytes, the mark included. @throws TypeError for what is not of that encoding. */
export function decoded(bytes: Uint8Array, encoding: Encoding): string {
  const decode = decoderFor(encoding, true);
  return decode(bytes) + decode();
}

function fromOneByte(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (control) => HIGH.charAt(control.charCodeAt(0) - FIRST));
}

/** The text as bytes of an encoding. @throws ToolError naming the first character that it lacks, for `path`. */
export function encoded(path: string, text: string, encoding: Encoding): Buffer {
  switch (encoding) {
    case 'utf-8':
      return Buffer.from(text, 'utf8');
    case 'utf-16le':
      return Buffer.from(text, 'utf16le');
    case 'utf-16be':
      return Buffer.from(text, 'utf16le').swap16();
    case 'windows-1252':
      return inOneByte(path, text);
  }
}

/** Every byte has a character of its own, so that what is not touched comes back as it was. */
function inOneByte(path: string, text: string): Buffer {
  const bytes = Buffer.alloc(text.length);
  for (let index = 0; index < text.length; index++) {
    const byte = byteOf(text.charAt(index));
    if (byte === undefined) throw lacking(path, text, index);
    bytes[index] = byte;
  }
  return bytes;
}

function byteOf(character: string): number | undefined {
  const high = HIGH.indexOf(character);
  if (high >= 0) return FIRST + high;
  const code = character.charCodeAt(0);
  return code < FIRST || (code > 0x9f && code <= 0xff) ? code : undefined;
}

function lacking(path: string, text: string, index: number): ToolError {
  const character = String.fromCodePoint(text.codePointAt(index) ?? 0);
  const line = text.slice(0, index).split('\n').length;
  return new ToolError(
    `${path} is Latin-1 text (Windows-1252), which has no ${JSON.stringify(character)} (line ${line} of the new text); nothing was written. Say it without, or make the file UTF-8 first: iconv -f WINDOWS-1252 -t UTF-8.`,
  );
}
