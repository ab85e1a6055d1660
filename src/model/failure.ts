import type * as Sdk from '@anthropic-ai/sdk';
import { messageOf } from '../util/errors.js';
import { parseRetryAfter, retryable } from './retry.js';
import { ModelError, type ModelFailure } from './types.js';

/** A failed try. */
export interface Failure {
  readonly error: ModelError;
  readonly status: number | undefined;
  readonly canRetry: boolean;
  readonly retryAfterMs: number | undefined;
  /** Whether it says something about the service, for everybody, and not only about this request. */
  readonly isOfService: boolean;
}

// An error that comes in the middle of a stream has a type and no status.
const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};

/** Too many requests, and a service that has no room: what concerns whoever asks next. */
const SERVICE_STATUSES: ReadonlySet<number> = new Set([429, 503, 529]);

/** What a thrown thing means for the request, or `undefined` when it is no failure of the model's service but a bug. */
export function failureOf(
  error: unknown,
  sdk: Pick<typeof Sdk, 'AnthropicError' | 'APIError' | 'APIConnectionError'>,
  now: number,
): Failure | undefined {
  if (error instanceof StreamStalled) return brokenOff(error);
  if (error instanceof sdk.APIError) {
    const type: string | null = error.type;
    const status: number | undefined = error.status ?? (type === null ? undefined : STATUS_OF_TYPE[type]);
    const headers: Headers | undefined = error.headers;
    const told = headers?.get('x-should-retry');
    return {
      error: modelError(status, error, error.apiMessage ?? undefined),
      status,
      canRetry: told === 'true' || (told !== 'false' && retryable(status)),
      retryAfterMs: parseRetryAfter(headers?.get('retry-after'), now),
      isOfService: error instanceof sdk.APIConnectionError || (status !== undefined && SERVICE_STATUSES.has(status)),
    };
  }
  if (error instanceof sdk.AnthropicError) return brokenOff(error);
  // The SDK's own word for having no credentials is a plain Error.
  if (error instanceof Error && /resolve authentication/.test(error.message)) {
    const missing = new ModelError('unauthorized', NO_CREDENTIALS, undefined, { cause: error });
    return { ...brokenOff(error), error: missing, canRetry: false };
  }
  return undefined;
}

function brokenOff(error: Error): Failure {
  return {
    error: modelError(undefined, error),
    status: undefined,
    canRetry: true,
    retryAfterMs: undefined,
    isOfService: false,
  };
}

export const NO_CREDENTIALS = 'No credentials for the model: set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN).';

/** No event for too long. */
export class StreamStalled extends Error {
  override readonly name = 'StreamStalled';
}

function modelError(status: number | undefined, cause: Error, apiMessage?: string): ModelError {
  const message = apiMessage ?? innermost(cause);
  return new ModelError(kindOf(status, message), status === undefined ? message : `${status} ${message}`, status, {
    cause,
  });
}

function kindOf(status: number | undefined, message: string): ModelFailure {
  if (retryable(status)) return 'unavailable';
  if (status === 401 || status === 402 || status === 403) return 'unauthorized';
  if (status === 404) return 'not-found';
  if (status === 413 || /prompt is too long|exceed context limit/.test(message)) return 'prompt-too-long';
  return 'invalid';
}

/** "Connection error." says less than the cause below it (`connect ECONNREFUSED …`). */
function innermost(error: Error): string {
  let deepest = error;
  while (deepest.cause instanceof Error) deepest = deepest.cause;
  return deepest === error ? error.message : `${error.message} (${messageOf(deepest)})`;
}
