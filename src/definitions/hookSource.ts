import * as z from 'zod/mini';

/** Hooks of one place. What stands below an event is looked at where it is run (`definitions/hook`). */
export const HookSource = z.object({
  /** For messages. */
  file: z.string(),
  /** The plugin's folder, where it is one's. */
  pluginRoot: z.optional(z.string()),
  events: z.record(z.string(), z.array(z.unknown())),
});
export type HookSource = z.infer<typeof HookSource>;
