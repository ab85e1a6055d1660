import * as z from 'zod/mini';

/** The setting `autoMode`: what the classifiers of mode auto are told beside the rules that come with the program. */
export const AutoModeKeys = z.looseObject(
  {
    /** A sentence each: what is to be blocked, or what may be let through. */
    rules: z.optional(z.array(z.string('must be text'), 'must be a list')),
  },
  'must be an object',
);
