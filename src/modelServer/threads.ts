import * as z from 'zod/mini';
import type { AssistantMessage } from '../model/types.js';
import { type ApiError, apiError } from './apiError.js';

const Threaded = z.looseObject({
  thread: z.union([
    z.looseObject({ type: z.literal('create') }),
    z.looseObject({ type: z.literal('continue'), previous_message_id: z.string() }),
  ]),
  messages: z.optional(z.array(z.unknown())),
  system: z.optional(z.unknown()),
  tools: z.optional(z.unknown()),
});

/** What a request says in full, and a way to keep it with its answer where it asks for that. */
export interface Unthreaded {
  readonly body: unknown;
  keep(reply: AssistantMessage): void;
}

/** Conversations that the server holds between requests, so that each sends only what is new (`thread`). */
export interface Threads {
  unthread(body: unknown, key: string): Unthreaded | { readonly problem: ApiError };
}

type Fields = Readonly<Record<string, unknown>>;

interface Kept {
  /** What belongs to the whole conversation. */
  readonly fields: Fields;
  readonly messages: readonly unknown[];
}

const MAX_KEPT = 1000;

export function createThreads(): Threads {
  const kept = new Map<string, Kept>();
  const nameOf = (key: string, messageId: string) => `${key} ${messageId}`;

  return {
    unthread(body, key) {
      const parsed = Threaded.safeParse(body);
      if (!parsed.success) return { body, keep() {} };
      const { thread, messages: sent = [], ...fields } = parsed.data;
      const before = thread.type === 'create' ? undefined : kept.get(nameOf(key, thread.previous_message_id));
      if (thread.type === 'continue' && !before) return { problem: notFound(thread.previous_message_id) };
      const messages = [...(before?.messages ?? []), ...sent];
      const whole: Fields = { ...before?.fields, ...fields };
      return {
        body: { ...whole, messages },
        keep({ id, role, content }) {
          const { system, tools } = whole;
          kept.set(nameOf(key, id), { fields: { system, tools }, messages: [...messages, { role, content }] });
          const [oldest] = kept.keys();
          if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
        },
      };
    },
  };
}

function notFound(id: string): ApiError {
  return { ...apiError(404, `No thread was found for ${id}`), details: { error_code: 'thread_not_found' } };
}
