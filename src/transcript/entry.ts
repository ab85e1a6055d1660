import * as z from 'zod/mini';

export const EntryType = z.enum(['user', 'assistant', 'system', 'attachment']);
export type EntryType = z.infer<typeof EntryType>;

/** One line of a transcript. */
export const TranscriptEntry = z.looseObject({
  uuid: z.string(),
  /** The line before it; `null` for the first one. */
  parentUuid: z.nullable(z.string()),
  sessionId: z.string(),
  agentId: z.optional(z.string()),
  /** Whether this is a sub-agent's conversation. */
  isSidechain: z.boolean(),
  type: EntryType,
  /** ISO 8601. */
  timestamp: z.string(),
  /** For `user` and `assistant` a message of the API; else whatever belongs to the line. */
  message: z.unknown(),
  /** Ids of the inbox messages that this line delivers. */
  msg_ids: z.optional(z.array(z.string())),
});
export type TranscriptEntry = z.infer<typeof TranscriptEntry>;

/**
 * What `subtype` of a `system` line says that the conversation begins anew here: what came before was summarised. Its
 * `message` is the list of messages that it begins with, so that a crash leaves all of it or nothing.
 */
export const COMPACT_BOUNDARY = 'compact_boundary';
/** The same for a conversation that goes on from another one's: that of a fork. */
export const INHERITED = 'inherited';
