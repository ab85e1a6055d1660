import { createHash } from 'node:crypto';
import type Anthropic from '@anthropic-ai/sdk';
import { type Clock, watchSilence } from '../host/clock.js';
import type { Ids } from '../host/ids.js';
import type { Budget } from './budget.js';
import { costOf } from './catalogue.js';
import { type Failure, failureOf, NO_CREDENTIALS, StreamStalled } from './failure.js';
import { paramsFor } from './params.js';
import { delayFor, MAX_TRIES } from './retry.js';
import { createTraffic, type Pass, privateStore, type Traffic } from './traffic.js';
import {
  type AssistantMessage,
  type ModelClient,
  ModelError,
  type ModelEvent,
  type ModelReply,
  type ModelRequest,
} from './types.js';
import { toUsage } from './usage.js';

export interface AnthropicOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly budget?: Budget;
  /** Shared with whoever else asks the same service; its own when absent. */
  readonly traffic?: Traffic;
  /** Answers in place of a model that stays overloaded (529). A model id. */
  readonly fallbackModel?: string;
  /** The service's address; else `ANTHROPIC_BASE_URL`, else the public one. */
  readonly baseURL?: string;
  /** Where key and address are read from; the process's environment when absent. */
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds without any event after which a stream counts as broken off. */
  readonly idleMs?: number;
}

const IDLE_MS = 10 * 60_000;
const OVERLOADS_BEFORE_FALLBACK = 3;

/**
 * The Messages API through its own SDK, which is loaded with the first request. A failed try (429, 5xx, no connection,
 * a stream that breaks off) is repeated as a whole: nothing of an answer is acted on before it is complete. A service
 * that refuses everybody (429, 503, 529, no connection) makes everybody hold back who shares the traffic.
 */
export function createAnthropicClient(options: AnthropicOptions): ModelClient {
  const { clock, ids, fallbackModel } = options;
  const traffic = options.traffic ?? createTraffic({ clock, ids, store: privateStore() });
  let connection: Promise<Connection> | undefined;
  let leaving: Promise<unknown> = Promise.resolve();
  /** Makes room for others beside what comes next: the disk may take its time. */
  const leave = (pass: Pass) => {
    leaving = Promise.all([leaving, pass.leave()]);
    leaving.catch(() => {});
  };
  /** @throws what kept somebody before from making room. */
  const haveLeft = async () => {
    const before = leaving;
    leaving = Promise.resolve();
    await before;
  };

  return {
    async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, ModelReply> {
      const begun = clock.monotonic();
      let overloads = 0;
      let model = request.model;
      let refusalsBefore: number | undefined;
      for (let attempt = 1; ; attempt++) {
        signal.throwIfAborted();
        connection ??= connect(options);
        if (fallbackModel !== undefined && overloads >= OVERLOADS_BEFORE_FALLBACK) model = fallbackModel;
        await haveLeft();
        const tried = yield* tryOnce(await connection, { request, model, attempt, options, traffic, leave, signal });
        if ('message' in tried) {
          const message = model === request.model ? tried.message : unsigned(tried.message);
          return { message, ...priced(model, message), durationMs: clock.monotonic() - begun };
        }
        if ('overloads' in tried) {
          overloads = tried.overloads;
          continue;
        }
        const { failure, refusals, delayMs } = tried;
        refusalsBefore ??= tried.refusalsBefore;
        // Whoever shares the traffic tries in turns: what the others were refused counts as tried here, too.
        const waves = refusals - refusalsBefore;
        if (!failure.canRetry || Math.max(attempt, waves) >= MAX_TRIES) throw failure.error;
        if (failure.status === 529) overloads++;
        const { status, error } = failure;
        yield { type: 'retry', attempt, maxRetries: MAX_TRIES - 1, delayMs, status, error: error.message };
        if (!failure.isOfService) await sleep(clock, delayMs, signal);
      }
    },
  };
}

interface Attempt {
  readonly request: ModelRequest;
  readonly model: string;
  /** From 1. */
  readonly attempt: number;
  readonly options: AnthropicOptions;
  readonly traffic: Traffic;
  readonly leave: (pass: Pass) => void;
  readonly signal: AbortSignal;
}

interface FailedTry {
  readonly failure: Failure;
  readonly delayMs: number;
  /** How often in a row the service had refused all who asked, when this try was let through and now. */
  readonly refusalsBefore: number;
  readonly refusals: number;
}

async function* tryOnce(
  { client, sdk }: Connection,
  {
    request,
    model,
    attempt,
    options: { clock, ids, budget, fallbackModel, idleMs = IDLE_MS },
    traffic,
    leave,
    signal,
  }: Attempt,
): AsyncGenerator<ModelEvent, { readonly message: AssistantMessage } | FailedTry | { readonly overloads: number }> {
  const lane = laneOf(client.baseURL, model);
  // Who has another model to ask does not wait where all others have been told that this one is overloaded.
  const hasOther = fallbackModel !== undefined && fallbackModel !== model;
  const pass = await (hasOther ? traffic.enter(lane, signal, OVERLOADS_BEFORE_FALLBACK) : traffic.enter(lane, signal));
  if (!pass) return { overloads: OVERLOADS_BEFORE_FALLBACK };
  let hasAnswered = false;
  const answered = async () => {
    hasAnswered = true;
    await pass.answered();
  };
  try {
    await budget?.check();
    return { message: yield* streamOnce(client, paramsFor(request, model), { clock, idleMs, signal, answered }) };
  } catch (thrown) {
    signal.throwIfAborted();
    const found = failureOf(thrown, sdk, clock.now());
    if (found === undefined) throw thrown;
    // What goes wrong in the middle of an answer is this request's own trouble.
    const failure = { ...found, isOfService: found.isOfService && !hasAnswered };
    const { refusals: refusalsBefore } = pass;
    const { retryAfterMs, status } = failure;
    if (failure.isOfService)
      return { failure, refusalsBefore, ...(await pass.refused({ retryAfterMs, isOverload: status === 529 })) };
    const delayMs = delayFor(attempt, failure.retryAfterMs, ids.random());
    return { failure, refusalsBefore, refusals: refusalsBefore, delayMs };
  } finally {
    leave(pass);
  }
}

/** One way to one model of one service, as a file name. */
function laneOf(address: string, model: string): string {
  return createHash('sha256').update(`${address} ${model}`).digest('hex').slice(0, 16);
}

interface Connection {
  readonly client: Anthropic;
  readonly sdk: typeof import('@anthropic-ai/sdk');
}

async function connect({ baseURL, env }: AnthropicOptions): Promise<Connection> {
  const sdk = await import('@anthropic-ai/sdk');
  const { ANTHROPIC_BASE_URL: address } = { ...env, ...(baseURL !== undefined && { ANTHROPIC_BASE_URL: baseURL }) };
  const client = new sdk.Anthropic({
    // Retries and their waiting are ours; the SDK's log would hold headers.
    maxRetries: 0,
    logLevel: 'off',
    ...(address !== undefined && { baseURL: address }),
    ...(env && credentials(env)),
  });
  return { client, sdk };
}

function credentials(env: Readonly<Record<string, string>>): { apiKey: string } | { authToken: string } {
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_AUTH_TOKEN: authToken } = env;
  if (apiKey) return { apiKey };
  if (authToken) return { authToken };
  throw new ModelError('unauthorized', NO_CREDENTIALS);
}

interface Watch {
  readonly clock: Clock;
  readonly idleMs: number;
  readonly signal: AbortSignal;
  /** Called with the first event. */
  readonly answered: () => Promise<void>;
}

async function* streamOnce(
  client: Anthropic,
  params: Anthropic.MessageStreamParams,
  { clock, idleMs, signal, answered }: Watch,
): AsyncGenerator<ModelEvent, AssistantMessage> {
  const stream = client.messages.stream(params, { signal });
  let isStalled = false;
  const silence = watchSilence(clock, idleMs, () => {
    isStalled = true;
    stream.abort();
  });
  try {
    const events = stream[Symbol.asyncIterator]();
    for (let isFirst = true; ; isFirst = false) {
      // What the reader of the events takes is no silence of the service.
      silence.heard();
      const step = await events.next();
      if (step.done) break;
      if (isFirst) await answered();
      const event = step.value;
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
        yield { type: 'text', text: event.delta.text };
    }
    const { parsed_output: _, ...message } = await stream.finalMessage();
    return message;
  } catch (error) {
    if (!isStalled) throw error;
    throw new StreamStalled(`the model's service sent nothing for ${Math.round(idleMs / 1000)} s`);
  } finally {
    silence.end();
    stream.abort();
  }
}

function priced(model: string, { usage }: AssistantMessage): Pick<ModelReply, 'usage' | 'costUsd'> {
  const counts = toUsage(usage);
  return { usage: counts, costUsd: costOf(model, counts, usage.cache_creation?.ephemeral_1h_input_tokens ?? 0) };
}

/** The fallback's answer without its thinking, which the asked model could not take back. */
function unsigned(message: AssistantMessage): AssistantMessage {
  return {
    ...message,
    content: message.content.filter(({ type }) => type !== 'thinking' && type !== 'redacted_thinking'),
  };
}

async function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
