/** A refusal in the API's own terms. Types and statuses: the API's errors page. */
export interface ApiError {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  /** For programs: `error_code` and what belongs to it. */
  readonly details?: Readonly<Record<string, unknown>>;
}

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

const WORDS: Readonly<Record<number, string>> = {
  429: "This request would exceed your account's rate limit. Please try again later.",
  500: 'Internal server error',
  529: 'Overloaded',
};

export function apiError(status: number, message = WORDS[status] ?? 'Error'): ApiError {
  return { status, type: TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error'), message };
}

export function invalid(message: string): ApiError {
  return apiError(400, message);
}

/** The body that carries it. */
export function errorBody({ type, message, details }: ApiError, requestId: string) {
  return { type: 'error', error: { type, message, ...(details && { details }) }, request_id: requestId };
}
