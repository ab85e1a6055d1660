import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { ApiError } from './apiError.js';
import { sendError, sendJson } from './wire.js';

/** One request, read to its end, and the way to answer it. */
export interface Exchange {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** With its question mark; empty when there is none. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The text parsed as JSON; `undefined` when it is none. */
  readonly body: unknown;
  /** The API key or token; empty when there is none. */
  readonly key: string;
  readonly requestId: string;
  readonly response: ServerResponse;
  /** Aborted when the connection is over. */
  readonly gone: AbortSignal;
}

/** What the log keeps of an answer. */
export interface Outcome {
  readonly status: number;
  /** The message, or the error. Absent when a fault left the request without a whole answer. */
  readonly reply?: unknown;
  /** The script's rule that answered. */
  readonly rule?: string;
  /** What went wrong on purpose. */
  readonly fault?: string;
  /** Why the answer is not what whoever set this server up can have wanted. */
  readonly problem?: string;
}

export interface Answered {
  readonly outcome: Outcome;
  send(): void | Promise<void>;
}

/** Where answers come from: a script, a service behind this one, a recording. */
export type Responder = (exchange: Exchange) => Answered | Promise<Answered>;

export function refusal(
  { response, requestId }: Exchange,
  error: ApiError,
  { retryAfter, ...more }: Omit<Outcome, 'status' | 'reply'> & { readonly retryAfter?: number | undefined } = {},
): Answered {
  return {
    outcome: { status: error.status, reply: error, ...more },
    send: () => sendError(response, error, requestId, retryAfter),
  };
}

export function plain({ response, requestId }: Exchange, reply: unknown): Answered {
  return { outcome: { status: 200, reply }, send: () => sendJson(response, reply, requestId) };
}
