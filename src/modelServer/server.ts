import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Clock, isoTime } from '../host/clock.js';
import type { Ids } from '../host/ids.js';
import { messageOf, UserError } from '../util/errors.js';
import { apiError } from './apiError.js';
import { type Exchange, type Responder, refusal } from './exchange.js';
import type { Fault } from './faults/fault.js';
import { createRequestLog, type LogBounds, type LoggedRequest } from './requestLog.js';
import type { Script } from './script/script.js';
import { createScripted } from './scripted.js';
import { keyOf, readBody, sendError, sendJson } from './wire.js';

export interface ModelServerOptions {
  readonly script?: Script;
  /** What goes wrong whatever the script says. */
  readonly faults?: readonly Fault[];
  /** Where answers come from in place of a script. */
  readonly respond?: Responder;
  /** A free one when absent. */
  readonly port?: number;
  readonly host?: '127.0.0.1' | '::1';
  readonly clock: Clock;
  readonly ids: Ids;
  /** Any key will do, but there must be one (default true). */
  readonly requireKey?: boolean;
  readonly logBounds?: LogBounds;
  /** Told of each request as it is logged. */
  readonly onRequest?: (request: LoggedRequest) => void;
}

export interface ModelServer {
  readonly url: string;
  readonly port: number;
  /** The newest requests, oldest first. */
  log(): LoggedRequest[];
  /** Lets something go wrong with the next requests for a message, whoever sends them. Not with a `respond` of its own. */
  failNext(fault: Fault): void;
  /** Ends every connection, hanging ones too. */
  close(): Promise<void>;
}

/** A stand-in for the Messages API on loopback. @throws UserError when the port cannot be had. */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const { script, faults = [], port = 0, host = '127.0.0.1', clock, ids, requireKey = true, onRequest } = options;
  const log = createRequestLog(options.logBounds);
  const scripted = createScripted({ clock, ids, script, faults, requireKey });
  const respond = options.respond ?? scripted.respond;

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname: path, search: query } = new URL(request.url ?? '/', 'http://loopback');
    const requestId = `req_${ids.hex(24)}`;
    if (request.method === 'GET' && path === '/__log')
      return sendJson(response, log.all(), requestId, 200, { 'x-dropped': String(log.dropped) });

    const at = isoTime(clock);
    const text = await readBody(request);
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const { method = '', headers } = request;
    const body = text ? parse(text) : undefined;
    const exchange: Exchange = {
      method,
      path,
      query,
      headers,
      text: text ?? '',
      body,
      key: keyOf(request) ?? '',
      requestId,
      response,
      gone: gone.signal,
    };
    const tooLarge = apiError(413, 'Request exceeds the maximum size');
    const { outcome, send } = text === undefined ? refusal(exchange, tooLarge) : await respond(exchange);
    const entry = { at, path, userId: userIdIn(body), model: stringIn(body, 'model'), body, ...outcome };
    const change = log.add(entry, text?.length ?? 0);
    onRequest?.(entry);
    const over = () => {
      if (!response.writableFinished && outcome.fault !== 'cut') change({ hungUp: true });
    };
    gone.signal.addEventListener('abort', over);
    try {
      if (gone.signal.aborted) over();
      else await send();
    } catch (error) {
      if (!gone.signal.aborted) throw error;
    }
  };

  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      // A client that hangs up while it is being read has nobody left to be answered.
      if (response.headersSent || response.destroyed) response.destroy();
      else sendError(response, apiError(500, `The model server itself failed: ${messageOf(error)}`), 'req_none');
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new UserError(`The model server cannot listen on ${host}:${port}: ${error.message}`, 1, { cause: error })),
    );
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    port: bound,
    log: () => log.all(),
    failNext: scripted.fail,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function userIdIn(body: unknown): string {
  return typeof body === 'object' && body !== null && 'metadata' in body ? stringIn(body.metadata, 'user_id') : '';
}

function stringIn(value: unknown, key: string): string {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  return typeof found === 'string' ? found : '';
}
