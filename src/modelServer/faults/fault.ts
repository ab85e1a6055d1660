import * as z from 'zod/mini';

const seconds = z.number().check(z.minimum(0));

/**
 * What goes wrong with an answer. One of
 * - `status`: an HTTP error (429, 500, 529, …), with `retryAfter` in seconds and a `message`;
 * - `stream`: `cut` closes the connection in the middle of a delta (of a tool's input, where there is one), `error` sends
 *   an `error` event there, `malformed` data that is not JSON, `hang` nothing more; `silent` never begins;
 * - `stop`: `max_tokens` breaks the answer off in the middle of its last tool call (or text), `refusal` refuses;
 * - `promptTooLong`: the refusal of a prompt that is over the model's window;
 * - a pace: `slowStart` seconds before the first token, `tokensPerSecond` from then on.
 *
 * It strikes `times` requests (default: one; a pace: all), but lets the first `after` pass, strikes only each `every`th,
 * and no more once `for` seconds have passed since it first struck. With `for` or `every` there is no other limit.
 */
export const Fault = z
  .strictObject({
    status: z.optional(z.int().check(z.minimum(400), z.maximum(599))),
    message: z.optional(z.string()),
    retryAfter: z.optional(seconds),
    stream: z.optional(z.enum(['cut', 'error', 'malformed', 'hang', 'silent'])),
    stop: z.optional(z.enum(['max_tokens', 'refusal'])),
    promptTooLong: z.optional(z.literal(true)),
    slowStart: z.optional(seconds),
    tokensPerSecond: z.optional(z.number().check(z.positive())),
    times: z.optional(z.int().check(z.minimum(1))),
    after: z.optional(z.int().check(z.minimum(0))),
    every: z.optional(z.int().check(z.minimum(1))),
    for: z.optional(seconds),
  })
  .check((ctx) => {
    const { status, stream, stop, promptTooLong } = ctx.value;
    const kinds = [status, stream, stop, promptTooLong, isPace(ctx.value) || undefined];
    if (kinds.filter((kind) => kind !== undefined).length !== 1) {
      ctx.issues.push({
        code: 'custom',
        input: ctx.value,
        message: 'a fault is one of `status`, `stream`, `stop`, `promptTooLong`, or a pace',
      });
    }
  });
export type Fault = z.infer<typeof Fault>;

type Paced = Pick<Fault, 'slowStart' | 'tokensPerSecond'>;

/** Whether it only slows an answer down. */
export function isPace({ slowStart, tokensPerSecond }: Paced): boolean {
  return slowStart !== undefined || tokensPerSecond !== undefined;
}

/** In one word, for the log. */
export function nameOf({ status, stream, stop, promptTooLong }: Fault): string {
  if (promptTooLong) return 'prompt_too_long';
  return String(status ?? stream ?? stop ?? 'pace');
}

/** Whether a fault strikes the request that comes at `now` (milliseconds); to be asked once for each. */
export type Strikes = (now: number) => boolean;

export function createStrikes(fault: Fault): Strikes {
  const { after = 0, every = 1, for: duration = Number.POSITIVE_INFINITY } = fault;
  const isOpen = isPace(fault) || fault.for !== undefined || fault.every !== undefined;
  const times = fault.times ?? (isOpen ? Number.POSITIVE_INFINITY : 1);
  let seen = 0;
  let struck = 0;
  let since: number | undefined;
  return (now) => {
    seen++;
    if (seen <= after || (seen - after) % every !== 0 || struck >= times) return false;
    since ??= now;
    if (now - since >= duration * 1000) return false;
    struck++;
    return true;
  };
}
