import type { ServerResponse } from 'node:http';
import type { Clock } from '../../host/clock.js';
import type { AssistantMessage } from '../../model/types.js';
import { encode, eventsOf, type ServerEvent } from '../sse.js';
import { CHARACTERS_PER_TOKEN, tokensOf } from '../tokens.js';
import { beginStream, sendJson } from '../wire.js';

export interface Pace {
  /** Seconds before the first token. */
  readonly slowStart?: number | undefined;
  readonly tokensPerSecond?: number | undefined;
}

export interface Paced {
  readonly clock: Clock;
  readonly pace: Pace;
  /** Aborted when nobody listens any more. */
  readonly gone: AbortSignal;
}

/** Streams a message token by token. Its beginning is sent at once, as the API does. */
export async function streamSlowly(
  response: ServerResponse,
  message: AssistantMessage,
  requestId: string,
  { clock, pace: { slowStart = 0, tokensPerSecond }, gone }: Paced,
): Promise<void> {
  beginStream(response, requestId);
  let hasStarted = false;
  for (const event of eventsOf(message, { characters: CHARACTERS_PER_TOKEN })) {
    if (event.type === 'content_block_start' && !hasStarted) {
      hasStarted = true;
      if (slowStart > 0) await clock.sleep(slowStart * 1000, gone);
    }
    const tokens = tokensIn(event);
    if (tokens > 0 && tokensPerSecond !== undefined) await clock.sleep((tokens / tokensPerSecond) * 1000, gone);
    response.write(encode(event));
  }
  response.end();
}

/** The same for an answer that comes in one piece. */
export async function sendSlowly(
  response: ServerResponse,
  message: AssistantMessage,
  requestId: string,
  { clock, pace: { slowStart = 0, tokensPerSecond }, gone }: Paced,
): Promise<void> {
  const seconds = slowStart + (tokensPerSecond === undefined ? 0 : message.usage.output_tokens / tokensPerSecond);
  await clock.sleep(seconds * 1000, gone);
  sendJson(response, message, requestId);
}

function tokensIn({ type, delta }: ServerEvent): number {
  if (type !== 'content_block_delta' || typeof delta !== 'object' || delta === null) return 0;
  const text: unknown = Object.values(delta)[1];
  return typeof text === 'string' ? tokensOf(text) : 0;
}
