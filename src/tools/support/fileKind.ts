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
  if (start.startsWith('\xff\xfe')) return { kind: 'text', encoding: 'utf-16le' };
  if (start.startsWith('\xfe\xff')) return { kind: 'text', encoding: 'utf-16be' };
  return bytes.includes(0) ? { kind: 'binary' } : { kind: 'text', encoding: 'utf-8' };
}

function imageType(bytes: Buffer): ImageType | undefined {
  const start = bytes.subarray(0, 12).toString('latin1');
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(start)) return 'image/gif';
  return /^RIFF....WEBP/s.test(start) ? 'image/webp' : undefined;
}
