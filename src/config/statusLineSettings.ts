import * as z from 'zod/mini';

/** The setting `statusLine`: a command that is told the team's state as JSON, and whose first lines are shown. */
export const StatusLine = z.looseObject(
  {
    type: z.literal('command', 'must be "command"'),
    command: z.string('must be text').check(z.minLength(1, 'must not be empty')),
    /** Columns that are left free before it. */
    padding: z.optional(z.int('must be a whole number').check(z.nonnegative('must not be negative'))),
  },
  'must be an object',
);
export type StatusLine = z.infer<typeof StatusLine>;
