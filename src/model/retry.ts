/** How often one request is tried in all. */
export const MAX_TRIES = 10;

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 30_000;

/** Whether trying again can help. No status means that there was no answer, or one that broke off. */
export function retryable(status: number | undefined): boolean {
  return status === undefined || status === 408 || status === 409 || status === 429 || status >= 500;
}

/**
 * Milliseconds to wait behind the failed try number `attempt` (from 1): half a second, doubled each time, at most
 * 30 s, a quarter more or less by `random` (0 to 1). `retryAfterMs`, where the server gave it, is never undercut.
 */
export function delayFor(attempt: number, retryAfterMs: number | undefined, random: number): number {
  if (retryAfterMs !== undefined) return retryAfterMs + random * FIRST_DELAY_MS;
  const delay = FIRST_DELAY_MS * 2 ** (attempt - 1);
  return Math.min(LONGEST_DELAY_MS, delay * (0.75 + random / 2));
}

/** A `retry-after` header in milliseconds: seconds or a date (RFC 9110, 10.2.3). */
export function parseRetryAfter(header: string | null | undefined, now: number): number | undefined {
  if (!header) return undefined;
  const ms = /^\d+(\.\d+)?$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
