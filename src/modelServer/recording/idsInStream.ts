import { parsed } from './exchanges.js';
import { type Ids, withIdsOfNow } from './sameIds.js';

/** The fields of a delta that hold a piece of a longer text. */
const PIECES = ['text', 'partial_json', 'thinking'] as const;

interface Piece {
  /** Which frame of the stream it is in. */
  readonly frame: number;
  readonly index: unknown;
  readonly field: (typeof PIECES)[number];
  readonly text: string;
}

/**
 * An answer with the ids of now. In a stream an id may lie across several pieces of a block: that block then comes in one
 * piece. Everything else stays as it is, byte for byte.
 */
export function withIdsInStream(body: string, ids: Ids): string {
  if (!body.startsWith('event: ')) return withIdsOfNow(body, ids);
  const frames = body.split('\n\n');
  const pieces = frames.flatMap((text, frame) => pieceIn(text, frame));
  for (const ofBlock of blocksOf(pieces)) {
    const text = ofBlock.map((piece) => piece.text).join('');
    const now = withIdsOfNow(text, ids);
    if (now === text) continue;
    for (const [at, { frame, field, text: before }] of ofBlock.entries())
      frames[frame] = (frames[frame] ?? '').replace(quoted(field, before), () => quoted(field, at === 0 ? now : ''));
  }
  return frames.map((frame) => withIdsOfNow(frame, ids)).join('\n\n');
}

function pieceIn(frame: string, at: number): Piece[] {
  const data = parsed(/^data: (.*)$/m.exec(frame)?.[1] ?? '');
  if (typeof data !== 'object' || data === null || !('delta' in data) || !('index' in data)) return [];
  const { delta, index } = data;
  return PIECES.flatMap((field) => {
    const text: unknown = typeof delta === 'object' && delta !== null ? Reflect.get(delta, field) : undefined;
    return typeof text === 'string' ? [{ frame: at, index, field, text }] : [];
  });
}

/** The pieces that make up one block, together. */
function blocksOf(pieces: readonly Piece[]): Piece[][] {
  const blocks = new Map<unknown, Piece[]>();
  for (const piece of pieces) blocks.set(piece.index, [...(blocks.get(piece.index) ?? []), piece]);
  return [...blocks.values()];
}

function quoted(field: string, text: string): string {
  return `"${field}":${JSON.stringify(text)}`;
}
