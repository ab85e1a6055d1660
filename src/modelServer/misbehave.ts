import type { ServerResponse } from 'node:http';
import { assertNever } from '../util/errors.js';
import { apiError, errorBody } from './apiError.js';
import type { Fault } from './faults.js';
import { encode, eventsOf } from './sse.js';
import { beginStream, sendError } from './wire.js';

type Message = Parameters<typeof eventsOf>[0];

/** Fails as the fault says. `message` is the answer that does not arrive whole. */
export function misbehave(response: ServerResponse, fault: Fault, message: Message, requestId: string): void {
  if (fault.stream === undefined) {
    sendError(response, apiError(fault.status ?? 500, fault.message), requestId, fault.retryAfter);
    return;
  }
  if (fault.stream === 'silent') return;
  beginStream(response, requestId);
  const events = [...eventsOf(message)].map(encode);
  const half = events.slice(0, Math.floor(events.length / 2));
  switch (fault.stream) {
    case 'cut': {
      const next = events[half.length] ?? '';
      response.write(half.join('') + next.slice(0, Math.floor(next.length / 2)), () => response.destroy());
      return;
    }
    case 'error':
      response.end(
        half.join('') +
          encode({ ...errorBody(apiError(fault.status ?? 529, fault.message), requestId), type: 'error' }),
      );
      return;
    case 'malformed':
      response.end(`${half.join('')}event: content_block_delta\ndata: {"type":"content_block_delta","index":\n\n`);
      return;
    case 'hang':
      response.write(half.join(''));
      return;
    default:
      assertNever(fault.stream);
  }
}
