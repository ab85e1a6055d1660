import type Anthropic from '@anthropic-ai/sdk';
import { type Clock, within } from '../host/clock.js';
import type { Ids } from '../host/ids.js';
import type { Budget } from './budget.js';
import { costOf } from './catalogue.js';
import { failureOf, NO_CREDENTIALS, StreamStalled } from './failure.js';
import { paramsFor } from './params.js';
import { delayFor, MAX_TRIES } from './retry.js';
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
 * a stream that breaks off) is repeated as a whole: nothing of an answer is acted on before it is complete.
 */
export function createAnthropicClient(options: AnthropicOptions): ModelClient {
  const { clock, ids, budget, fallbackModel, idleMs = IDLE_MS } = options;
  let connection: Promise<Connection> | undefined;

  return {
    async *stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, ModelReply> {
      const begun = clock.monotonic();
      let overloads = 0;
      for (let attempt = 1; ; attempt++) {
        signal.throwIfAborted();
        await budget?.check();
        connection ??= connect(options);
        const { client, sdk } = await connection;
        const isFallback = fallbackModel !== undefined && overloads >= OVERLOADS_BEFORE_FALLBACK;
        const model = isFallback ? fallbackModel : request.model;
        try {
          const whole = yield* streamOnce(client, paramsFor(request, model), { clock, idleMs, signal });
          const message = model === request.model ? whole : unsigned(whole);
          return { message, ...priced(model, message), durationMs: clock.monotonic() - begun };
        } catch (thrown) {
          signal.throwIfAborted();
          const failure = failureOf(thrown, sdk, clock.now());
          if (failure === undefined) throw thrown;
          if (!failure.canRetry || attempt === MAX_TRIES) throw failure.error;
          if (failure.status === 529) overloads++;
          const delayMs = delayFor(attempt, failure.retryAfterMs, ids.random());
          const { status, error } = failure;
          yield { type: 'retry', attempt, maxRetries: MAX_TRIES - 1, delayMs, status, error: error.message };
          await sleep(clock, delayMs, signal);
        }
      }
    },
  };
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
}

async function* streamOnce(
  client: Anthropic,
  params: Anthropic.MessageStreamParams,
  { clock, idleMs, signal }: Watch,
): AsyncGenerator<ModelEvent, AssistantMessage> {
  const stream = client.messages.stream(params, { signal });
  try {
    const events = stream[Symbol.asyncIterator]();
    for (;;) {
      const step = await within(clock, idleMs, () => events.next());
      if (step === undefined)
        throw new StreamStalled(`the model's service sent nothing for ${Math.round(idleMs / 1000)} s`);
      if (step.done) break;
      const event = step.value;
      if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
        yield { type: 'text', text: event.delta.text };
    }
    const { parsed_output: _, ...message } = await stream.finalMessage();
    return message;
  } finally {
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
