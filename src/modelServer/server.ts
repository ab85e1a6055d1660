import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Clock, isoTime } from '../host/clock.js';
import type { Ids } from '../host/ids.js';
import { isKnownModel } from '../model/catalogue.js';
import { UserError } from '../util/errors.js';
import { type ApiError, apiError, invalid } from './apiError.js';
import { createPromptCache } from './cacheAccounting.js';
import { checkCount, checkMessages } from './check.js';
import { conversationOf } from './conversation.js';
import type { Fault } from './faults.js';
import { misbehave } from './misbehave.js';
import { modelInfo, modelList } from './models.js';
import { createPlayer } from './player.js';
import { messageOf, type Reply } from './reply.js';
import type { MessagesRequest } from './request.js';
import type { Script } from './script.js';
import { eventsOf } from './sse.js';
import { promptTokens, segmentsOf } from './tokens.js';
import { keyOf, readBody, sendError, sendJson, sendStream } from './wire.js';

/** One request as it came in and was answered. */
export interface LoggedRequest {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly path: string;
  /** `metadata.user_id`; empty when there is none. */
  readonly userId: string;
  readonly model: string;
  readonly body: unknown;
  readonly status: number;
  /** The message, or the error. Absent when a fault left the request without a whole answer. */
  readonly reply?: unknown;
  /** The script's rule that answered. */
  readonly rule?: string;
  /** Why the script could not answer as its author wanted. */
  readonly problem?: string;
}

export interface ModelServerOptions {
  readonly script?: Script;
  /** A free one when absent. */
  readonly port?: number;
  readonly host?: '127.0.0.1' | '::1';
  readonly clock: Clock;
  readonly ids: Ids;
  /** Any key will do, but there must be one (default true). */
  readonly requireKey?: boolean;
}

export interface ModelServer {
  readonly url: string;
  readonly port: number;
  log(): LoggedRequest[];
  /** Lets the next `times` requests for a message fail, whoever sends them. */
  failNext(fault: Fault): void;
  /** Ends every connection, hanging ones too. */
  close(): Promise<void>;
}

const NO_ANSWER: Reply = {
  blocks: [
    { text: 'An answer that breaks off.' },
    { tool: 'Unfinished', input: { words: 'in the middle of its input' } },
  ],
};

/** A stand-in for the Messages API on loopback. @throws UserError when the port cannot be had. */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const { script, port = 0, host = '127.0.0.1', clock, ids, requireKey = true } = options;
  const log: LoggedRequest[] = [];
  const faults: Fault[] = [];
  const cache = createPromptCache();
  const player = createPlayer(script);

  type Outcome = Pick<LoggedRequest, 'status' | 'reply' | 'rule' | 'problem'>;
  interface Exchange {
    readonly response: ServerResponse;
    readonly requestId: string;
    readonly key: string;
    readonly body: unknown;
  }

  const refuse = ({ response, requestId }: Exchange, error: ApiError): Outcome => {
    sendError(response, error, requestId);
    return { status: error.status, reply: error };
  };

  const answer = (exchange: Exchange): Outcome => {
    const checked = checkMessages(exchange.body);
    if ('problem' in checked) return refuse(exchange, checked.problem);
    const { request } = checked;
    const { response, requestId } = exchange;
    const { usage, keep } = cache.account(request, exchange.key, clock.now());
    const planned = takeFault() ?? plan(request);
    if ('fault' in planned) {
      misbehave(response, planned.fault, messageOf(NO_ANSWER, request.model, usage, ids), requestId);
      return { status: planned.fault.status ?? 200, ...(planned.rule !== undefined && { rule: planned.rule }) };
    }
    keep();
    const message = messageOf(planned.reply, request.model, usage, ids);
    if (request.stream) sendStream(response, eventsOf(message), requestId);
    else sendJson(response, message, requestId);
    const { rule, problem } = planned;
    return {
      status: 200,
      reply: message,
      ...(rule !== undefined && { rule }),
      ...(problem !== undefined && { problem }),
    };
  };

  const takeFault = (): { fault: Fault; rule?: string } | undefined => {
    const fault = faults.shift();
    return fault && { fault };
  };

  const plan = (request: MessagesRequest): ReturnType<typeof player.next> => {
    // With max_tokens 0 the prompt is only put into the cache.
    if (request.max_tokens === 0) return { reply: { blocks: [], stop: 'max_tokens' } };
    return player.next(request.metadata?.user_id ?? '', conversationOf(request));
  };

  const count = (exchange: Exchange): Outcome => {
    const checked = checkCount(exchange.body);
    if ('problem' in checked) return refuse(exchange, checked.problem);
    const reply = { input_tokens: promptTokens(segmentsOf(checked.request)) };
    sendJson(exchange.response, reply, exchange.requestId);
    return { status: 200, reply };
  };

  const models = (exchange: Exchange, id: string | undefined): Outcome => {
    if (id !== undefined && !isKnownModel(id)) return refuse(exchange, apiError(404, `model: ${id}`));
    const reply = id === undefined ? modelList() : modelInfo(id);
    sendJson(exchange.response, reply, exchange.requestId);
    return { status: 200, reply };
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname: path } = new URL(request.url ?? '/', 'http://loopback');
    const requestId = `req_${ids.hex(24)}`;
    if (request.method === 'GET' && path === '/__log') return sendJson(response, log, requestId);

    const at = isoTime(clock);
    const text = await readBody(request);
    const body = text === undefined || text === '' ? undefined : parse(text);
    const key = keyOf(request);
    const exchange = { response, requestId, key: key ?? '', body };
    const route = `${request.method} ${path}`;
    const outcome = (): Outcome => {
      if (text === undefined) return refuse(exchange, apiError(413, 'Request exceeds the maximum size'));
      if (requireKey && key === undefined) return refuse(exchange, apiError(401, 'x-api-key header is required'));
      if (route.startsWith('GET /v1/models')) return models(exchange, /^\/v1\/models\/(.+)$/.exec(path)?.[1]);
      if (route !== 'POST /v1/messages' && route !== 'POST /v1/messages/count_tokens')
        return refuse(exchange, apiError(404, 'Not found'));
      if (body === undefined) return refuse(exchange, invalid('The request body is not valid JSON.'));
      return path === '/v1/messages' ? answer(exchange) : count(exchange);
    };
    log.push({ at, path, userId: userIdIn(body), model: stringIn(body, 'model'), body, ...outcome() });
  };

  const server = createServer((request, response) => {
    // A client that hangs up while it is being read has nobody left to be answered.
    serve(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined));
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
    log: () => [...log],
    failNext: (fault) => faults.push(...Array.from({ length: fault.times ?? 1 }, () => fault)),
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
