import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ApiError, errorBody } from './apiError.js';
import { encode, type ServerEvent } from './sse.js';

/** Bytes of a body; more is 413. */
const MAX_BODY = 32 * 1024 * 1024;

/** The whole body, or `undefined` when it is too large. */
export async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size <= MAX_BODY) chunks.push(bytes);
  }
  return size > MAX_BODY ? undefined : Buffer.concat(chunks).toString('utf8');
}

/** Whether the request brings any key at all. */
export function keyOf({ headers }: IncomingMessage): string | undefined {
  const key = headers['x-api-key'];
  if (typeof key === 'string' && key !== '') return key;
  return /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
}

export function sendJson(
  response: ServerResponse,
  body: unknown,
  requestId: string,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': requestId, ...headers });
  response.end(JSON.stringify(body));
}

export function sendError(response: ServerResponse, error: ApiError, requestId: string, retryAfter?: number): void {
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  sendJson(response, errorBody(error, requestId), requestId, error.status, headers);
}

export function beginStream(response: ServerResponse, requestId: string): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'request-id': requestId,
  });
}

export function sendStream(response: ServerResponse, events: Iterable<ServerEvent>, requestId: string): void {
  beginStream(response, requestId);
  for (const event of events) response.write(encode(event));
  response.end();
}
