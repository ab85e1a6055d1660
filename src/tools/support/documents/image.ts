import type { ImageType } from '../files/fileKind.js';

/** Bytes of base64: what the API takes of one image. */
const MOST_BASE64 = 5 * 1024 * 1024;
/** On each side: what the API takes. */
const MOST_PIXELS = 8000;

/** The largest file of an image that may be sent; base64 makes four bytes of three. */
export const LARGEST_IMAGE = (MOST_BASE64 / 4) * 3;

/**
 * Why the API would refuse an image, to stand behind its name; nothing where it takes it. An image that it refuses stays in
 * the conversation, every later request of which fails.
 */
export function imageProblem(bytes: Buffer, type: ImageType): string | undefined {
  if (bytes.length > LARGEST_IMAGE)
    return `has ${bytes.length} bytes, more than the ${LARGEST_IMAGE} that an image may have`;
  const size = sizeOf(bytes, type);
  if (size === undefined || size.width === 0 || size.height === 0) return `is a broken ${type}`;
  const { width, height } = size;
  return width > MOST_PIXELS || height > MOST_PIXELS
    ? `has ${width} × ${height} pixels, more than the ${MOST_PIXELS} that an image may have on each side`
    : undefined;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** As the header says it; nothing where that, or the image's end, is missing. */
function sizeOf(bytes: Buffer, type: ImageType): Size | undefined {
  try {
    switch (type) {
      case 'image/png':
        return bytes.toString('latin1', 12, 16) === 'IHDR' && bytes.includes('IEND')
          ? { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
          : undefined;
      case 'image/gif':
        return bytes.length > 13 ? { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) } : undefined;
      case 'image/webp':
        return bytes.length >= bytes.readUInt32LE(4) + 8 ? webpSize(bytes) : undefined;
      case 'image/jpeg':
        return jpegSize(bytes);
    }
  } catch (error) {
    if (error instanceof RangeError) return undefined; // it ends before its header does
    throw error;
  }
}

function webpSize(bytes: Buffer): Size | undefined {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

/** In the first frame, behind segments of any number. */
function jpegSize(bytes: Buffer): Size | undefined {
  let at = 2;
  while (bytes.readUInt8(at) === 0xff) {
    const marker = bytes.readUInt8(at + 1);
    if (marker === 0xff) at += 1;
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
