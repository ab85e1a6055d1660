import type { ServerResponse } from 'node:http';
import type { AssistantMessage } from '../../model/types.js';
import { assertNever } from '../../util/errors.js';
import { apiError, errorBody } from '../apiError.js';
import { encode, eventsOf, type ServerEvent } from '../sse.js';
import { beginStream, sendError } from '../wire.js';
import type { Fault } from './fault.js';

/** What closes the text of a delta, and the last character of that. */
const CLOSING = '"}}\n\n'.length + 1;

/** Streams `message` as far as the fault lets it come: into the middle of a delta, of a tool's input where there is one. */
export function breakStream(
  response: ServerResponse,
  { stream = 'cut', message: words }: Pick<Fault, 'stream' | 'message'>,
  message: AssistantMessage,
  requestId: string,
): void {
  if (stream === 'silent') return;
  const events = [...eventsOf(message)];
  const at = middleOf(events);
  const before = events.slice(0, at).map(encode).join('');
  beginStream(response, requestId);
  switch (stream) {
    case 'cut': {
      const next = events[at];
      const frame = next ? encode(next) : '';
      response.write(before + frame.slice(0, -CLOSING), () => response.destroy());
      return;
    }
    case 'error':
      response.end(before + encode({ ...errorBody(apiError(529, words), requestId), type: 'error' }));
      return;
    case 'malformed':
      response.end(`${before}event: content_block_delta\ndata: {"type":"content_block_delta","index":\n\n`);
      return;
    case 'hang':
      response.write(before);
      return;
    default:
      assertNever(stream);
  }
}

/** The event in which it breaks: in the middle of the first tool's input, else of the first block. */
function middleOf(events: readonly ServerEvent[]): number {
  const deltas = events.flatMap(({ type, delta }, index) =>
    type === 'content_block_delta' ? [{ index, isInput: isInputDelta(delta) }] : [],
  );
  const inputs = deltas.filter(({ isInput }) => isInput);
  const candidates = inputs.length > 0 ? inputs : deltas;
  return candidates[Math.floor(candidates.length / 2)]?.index ?? events.length - 1;
}

function isInputDelta(delta: unknown): boolean {
  return typeof delta === 'object' && delta !== null && 'partial_json' in delta && delta.partial_json !== '';
}

/** The same for an answer in one piece: half of it comes, or an error in its place. */
export function breakBody(
  response: ServerResponse,
  { stream = 'cut', message: words }: Pick<Fault, 'stream' | 'message'>,
  message: AssistantMessage,
  requestId: string,
): void {
  if (stream === 'silent') return;
  if (stream === 'error') {
    sendError(response, apiError(529, words), requestId);
    return;
  }
  const body = JSON.stringify(message);
  const half = body.slice(0, Math.floor(body.length / 2));
  const length = stream === 'malformed' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  response.writeHead(200, { 'content-type': 'application/json', 'request-id': requestId, ...length });
  if (stream === 'malformed') response.end(half);
  else response.write(half, () => void (stream === 'cut' && response.destroy()));
}
