import type { Clock } from '../host/clock.js';
import type { Ids } from '../host/ids.js';
import { isKnownModel, modelFacts } from '../model/catalogue.js';
import type { AssistantMessage } from '../model/types.js';
import { apiError, invalid } from './apiError.js';
import { createPromptCache } from './cacheAccounting.js';
import { checkCount, checkMessages } from './check/check.js';
import type { MessagesRequest } from './check/request.js';
import { type Answered, type Exchange, plain, type Responder, refusal } from './exchange.js';
import { createStrikes, type Fault, isPace, nameOf, type Strikes } from './faults/fault.js';
import { breakBody, breakStream } from './faults/misbehave.js';
import { type Pace, sendSlowly, streamSlowly } from './faults/pace.js';
import { modelInfo, modelList } from './models.js';
import { messageOf, type Reply, stopped } from './reply.js';
import { conversationOf } from './script/conversation.js';
import { type Answer, createPlayer } from './script/player.js';
import type { Script } from './script/script.js';
import { eventsOf } from './sse.js';
import { createThreads } from './threads.js';
import { promptTokens, segmentsOf } from './tokens.js';
import { sendJson, sendStream } from './wire.js';

export interface ScriptedOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly script?: Script | undefined;
  /** What goes wrong whatever the script says. */
  readonly faults: readonly Fault[];
  /** Any key will do, but there must be one. */
  readonly requireKey: boolean;
}

export interface Scripted {
  readonly respond: Responder;
  /** One more fault, for the requests to come. */
  fail(fault: Fault): void;
}

/** Answers as the API does: as strictly, with its accounting, and with what a script says. */
export function createScripted({ clock, ids, script, faults, requireKey }: ScriptedOptions): Scripted {
  const cache = createPromptCache();
  const threads = createThreads();
  const player = createPlayer(script);
  const active: { readonly fault: Fault; readonly strikes: Strikes }[] = [];
  const fail = (fault: Fault) => void active.push({ fault, strikes: createStrikes(fault) });
  for (const fault of faults) fail(fault);

  /** One failure, the rule's own before any other and these in their order, and all slowness together. */
  const struckBy = (ofRule: Fault | undefined): { failure: Fault | undefined; pace: Pace | undefined } => {
    const now = clock.now();
    let failure = ofRule && !isPace(ofRule) ? ofRule : undefined;
    const paces = ofRule && isPace(ofRule) ? [ofRule] : [];
    for (const { fault, strikes } of active) {
      if (isPace(fault)) {
        if (strikes(now)) paces.push(fault);
      } else if (!failure && strikes(now)) failure = fault;
    }
    return { failure, pace: paces.length > 0 ? Object.assign({}, ...paces) : undefined };
  };

  const answerFor = (request: MessagesRequest): Answer => {
    // With max_tokens 0 the prompt is only put into the cache.
    if (request.max_tokens === 0) return { reply: { blocks: [], stop: 'max_tokens' }, keep() {} };
    return player.next(request.metadata?.user_id ?? '', conversationOf(request), clock.now());
  };

  const message = (exchange: Exchange): Answered => {
    const unthreaded = threads.unthread(exchange.body, exchange.key);
    if ('problem' in unthreaded) return refusal(exchange, unthreaded.problem);
    const checked = checkMessages(unthreaded.body);
    if ('problem' in checked) return refusal(exchange, checked.problem);
    const { request } = checked;
    const { usage, keep } = cache.account(request, exchange.key, clock.now());
    const answer = answerFor(request);
    const { failure, pace } = struckBy(answer.fault);
    const { rule, problem } = answer;
    const because = { ...(rule !== undefined && { rule }), ...(failure && { fault: nameOf(failure) }) };
    const whole = (reply: Reply) => messageOf(reply, request.model, usage, ids);

    if (failure?.promptTooLong) {
      const { contextWindow } = modelFacts(request.model);
      return refusal(exchange, tooLong(contextWindow), because);
    }
    if (failure?.status !== undefined) {
      const { status, retryAfter, message: words } = failure;
      return refusal(exchange, apiError(status, words), { ...because, retryAfter });
    }
    // What is cached counts from where an answer begins, also one that breaks off.
    if (failure?.stream !== 'silent') keep();
    if (failure?.stream !== undefined) {
      const fail = request.stream ? breakStream : breakBody;
      return {
        outcome: { status: 200, ...because },
        send: () => fail(exchange.response, failure, whole(answer.reply), exchange.requestId),
      };
    }
    // An answer that is broken off is asked for again, in other words: the script has not moved on.
    if (!failure?.stop) answer.keep();
    const reply = whole(failure?.stop ? stopped(answer.reply, failure.stop) : answer.reply);
    unthreaded.keep(reply);
    return {
      outcome: { status: 200, reply, ...because, ...(problem !== undefined && { problem }) },
      send: () => deliver(exchange, reply, request.stream === true, pace),
    };
  };

  const deliver = (
    { response, requestId, gone }: Exchange,
    reply: AssistantMessage,
    streams: boolean,
    pace: Pace | undefined,
  ): void | Promise<void> => {
    if (pace) return (streams ? streamSlowly : sendSlowly)(response, reply, requestId, { clock, pace, gone });
    if (streams) sendStream(response, eventsOf(reply), requestId);
    else sendJson(response, reply, requestId);
  };

  const count = (exchange: Exchange): Answered => {
    const checked = checkCount(exchange.body);
    if ('problem' in checked) return refusal(exchange, checked.problem);
    return plain(exchange, { input_tokens: promptTokens(segmentsOf(checked.request)) });
  };

  const models = (exchange: Exchange, id: string | undefined): Answered => {
    if (id !== undefined && !isKnownModel(id)) return refusal(exchange, apiError(404, `model: ${id}`));
    return plain(exchange, id === undefined ? modelList() : modelInfo(id));
  };

  const respond = (exchange: Exchange): Answered => {
    const { method, path, headers, body } = exchange;
    if (requireKey && exchange.key === '') return refusal(exchange, apiError(401, 'x-api-key header is required'));
    const [, id] = /^\/v1\/models(?:\/(.+))?$/.exec(path) ?? [];
    const isModels = method === 'GET' && /^\/v1\/models(\/|$)/.test(path);
    const isMessage = method === 'POST' && path === '/v1/messages';
    const isCount = method === 'POST' && path === '/v1/messages/count_tokens';
    if (!isModels && !isMessage && !isCount) return refusal(exchange, apiError(404, 'Not found'));
    if (headers['anthropic-version'] === undefined)
      return refusal(exchange, invalid('anthropic-version: header is required'));
    if (isModels) return models(exchange, id);
    if (body === undefined) return refusal(exchange, invalid('The request body is not valid JSON.'));
    return isMessage ? message(exchange) : count(exchange);
  };

  return { respond, fail };
}

function tooLong(window: number) {
  return invalid(`prompt is too long: ${window + 1} tokens > ${window} maximum`);
}
