import { open } from 'node:fs/promises';
import type Anthropic from '@anthropic-ai/sdk';

export type ImageType = Anthropic.Base64ImageSource['media_type'];

/** What a file is by its first bytes, whatever its name says. */
export type FileKind =
  | { readonly kind: 'text' | 'utf16' | 'pdf' | 'binary' }
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

function kindOf(bytes: Buffer): FileKind {
  const type = imageType(bytes);
  if (type !== undefined) return { kind: 'image', type };
  const start = bytes.subarray(0, 5).toString('latin1');
  if (start === '%PDF-') return { kind: 'pdf' };
  if (start.startsWith('\xff\xfe') || start.startsWith('\xfe\xff')) return { kind: 'utf16' };
  return { kind: bytes.includes(0) ? 'binary' : 'text' };
}

function imageType(bytes: Buffer): ImageType | undefined {
  const start = bytes.subarray(0, 12).toString('latin1');
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (/^GIF8[79]a/.test(start)) return 'image/gif';
  return /^RIFF....WEBP/s.test(start) ? 'image/webp' : undefined;
}
