import { open } from 'node:fs/promises';
import type Anthropic from '@anthropic-ai/sdk';

export type ImageType = Anthropic.Base64ImageSource['media_type'];
/** As `TextDecoder` names them. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

/** What a file is by its first bytes, whatever its name says. */
export type FileKind =
  | { readonly kind: 'text'; readonly encoding: Encoding }
  | { readonly kind: 'pdf' | 'binary' }
  | { readonly kind: 'image'; readonly type: ImageType };

const LOOKED_AT = 8192;

export async function fileKindOf(path: string): Promise<FileKind> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(LOOKED_AT), 0, LOOKED_AT, 0);
    return kindOf(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}

/** By the first of its bytes. */
export function kindOf(whole: Buffer): FileKind {
  const bytes = whole.subarray(0, LOOKED_AT);
  const type = imageType(bytes);
  if (type !== undefined) return { kind: 'image', type };
  const start = bytes.subarray(0, 5).toString('latin1');
  if (start === '%PDF-') return { kind: 'pdf' };
  if (start.startsWith('\xff\xfe\0\0')) return { kind: 'binary' }; // UTF-32, which nothing here decodes
  if (start.startsWith('\xff\xfe')) return { kind: 'text', encoding: 'utf-16le' };
  if (start.startsWith('\xfe\xff')) return { kind: 'text', encoding: 'utf-16be' };
  return bytes.includes(0) || isPacked(bytes) ? { kind: 'binary' } : { kind: 'text', encoding: 'utf-8' };
}

/** What is compressed or encrypted may lack a NUL; text of one byte a character has hardly any other controls. */
function isPacked(bytes: Buffer): boolean {
  const controls = bytes.toString('latin1').match(/[\x01-\x06\x0e-\x19\x1c-\x1f\x7f]/g)?.length ?? 0;
  return controls * 50 > bytes.length && !isUtf8(bytes);
}

function isUtf8(start: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(start, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function imageType(bytes: Buffer): ImageType | undefined {
  const start = bytes.subarray(0, 12).toString('latin1');
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(start)) return 'image/gif';
  return /^RIFF....WEBP/s.test(start) ? 'image/webp' : undefined;
}
