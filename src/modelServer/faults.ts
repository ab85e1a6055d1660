import * as z from 'zod/mini';

/**
 * What goes wrong in place of an answer. `status`: an HTTP error (429, 500, 529, …), with `retryAfter` in seconds.
 * `stream`: `cut` closes the connection in the middle of a delta, `error` sends an `error` event there, `malformed` sends
 * data that is not JSON, `hang` sends nothing more, `silent` never begins. For the first `times` requests (default 1); the
 * next one is answered.
 */
export const Fault = z
  .strictObject({
    status: z.optional(z.int().check(z.minimum(400), z.maximum(599))),
    message: z.optional(z.string()),
    retryAfter: z.optional(z.number().check(z.minimum(0))),
    stream: z.optional(z.enum(['cut', 'error', 'malformed', 'hang', 'silent'])),
    times: z.optional(z.int().check(z.minimum(1))),
  })
  .check((ctx) => {
    if ((ctx.value.status === undefined) === (ctx.value.stream === undefined)) {
      ctx.issues.push({ code: 'custom', input: ctx.value, message: 'a fault has either `status` or `stream`' });
    }
  });
export type Fault = z.infer<typeof Fault>;
