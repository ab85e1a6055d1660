import * as z from 'zod/mini';
import { uuidOf } from '../host/ids.js';
import { PermissionMode } from '../permissions/mode.js';
import { wellFormed } from '../util/text.js';

export const MessageType = z.enum([
  'message',
  'shutdown_request',
  'shutdown_response',
  'plan_approval_request',
  'plan_approval_response',
  'permission_request',
  'permission_response',
  'idle_notification',
  'teammate_exited',
  'task_assignment',
  'mode_set',
  'interrupt',
  'team_permission',
  'member_start',
]);
export type MessageType = z.infer<typeof MessageType>;

/** Who it is from when the harness itself has something to say. No member can have this name. */
export const HARNESS = 'team';

/** One record of an inbox. */
export const Message = z.looseObject({
  /** UUIDv7: unique, sorts by time. */
  msg_id: z.string(),
  msgV: z.number(),
  from: z.string(),
  text: z.string(),
  /** ISO 8601. */
  timestamp: z.string(),
  read: z.boolean(),
  color: z.optional(z.string()),
  /** 5–10 words. */
  summary: z.optional(z.string()),
  /** A `MessageType`; a name that this version does not know is kept and reported, not obeyed. */
  type: z.string(),
  request_id: z.optional(z.string()),
  in_reply_to: z.optional(z.string()),
  /** `*` for a broadcast. */
  to: z.optional(z.string()),
  /** Where an answer goes, where the sender is no member: `uds:<path>`. */
  reply_to: z.optional(z.string()),
});
export type Message = z.infer<typeof Message>;

const hint = z.catch(z.optional(z.string()), undefined);

/** What any program may have written: only sender and text must be there. */
const StoredRecord = z.looseObject({
  from: z.string(),
  text: z.string(),
  timestamp: z.catch(z.string(), new Date(0).toISOString()),
  read: z.catch(z.boolean(), false),
  msg_id: hint,
  msgV: z.catch(z.optional(z.number()), undefined),
  type: hint,
  color: hint,
  summary: hint,
  request_id: hint,
  in_reply_to: hint,
  to: hint,
  reply_to: hint,
});

/**
 * The message in a record from disk, or `undefined` where there is none. A record without id, version or type is prose
 * and is given an id that depends on its content alone, so that looking twice shows one message.
 */
export function messageFrom(raw: unknown, isTaken: (id: string) => boolean = () => false): Message | undefined {
  const stored = StoredRecord.safeParse(raw);
  if (!stored.success) return undefined;
  const { msg_id, msgV, type, ...rest } = stored.data;
  const isOurs = msg_id !== undefined && msgV !== undefined && type !== undefined;
  return withoutAbsent({
    ...rest,
    msg_id: msg_id || freeIdFor(`${rest.from}\n${rest.timestamp}\n${rest.text}`, isTaken),
    msgV: msgV ?? 1,
    type: isOurs ? type : 'message',
    from: wellFormed(rest.from),
    text: wellFormed(rest.text),
  });
}

function freeIdFor(content: string, isTaken: (id: string) => boolean): string {
  for (let copy = 0; ; copy++) {
    const id = uuidOf(`${copy}\n${content}`);
    if (!isTaken(id)) return id;
  }
}

function withoutAbsent(message: Message): Message {
  return Message.parse(Object.fromEntries(Object.entries(message).filter(([, value]) => value !== undefined)));
}

// What one model or another writes for a payload: an object or its JSON, "true" for true, requestId for request_id.
const payload = <S extends z.ZodMiniType>(schema: S) => z.pipe(z.transform(asPayload), schema);
const boolean = z.union([
  z.boolean(),
  z.pipe(
    z.enum(['true', 'false']),
    z.transform((word) => word === 'true'),
  ),
]);
const text = z.string();
const maybe = z.optional(z.string());

/** A schema for the payload of each protocol message. Each accepts an object or a JSON string. */
export const payloads = {
  /** `force`: it is not asked; its harness ends it at once. */
  shutdown_request: payload(z.looseObject({ request_id: text, reason: maybe, force: z.optional(boolean) })),
  shutdown_response: payload(z.looseObject({ request_id: text, approve: boolean, reason: maybe })),
  plan_approval_request: payload(z.looseObject({ request_id: text, plan: text, plan_path: text })),
  plan_approval_response: payload(
    z.looseObject({ request_id: text, approve: boolean, feedback: maybe, mode: z.optional(PermissionMode) }),
  ),
  permission_request: payload(
    z.looseObject({
      request_id: text,
      tool: text,
      input: z.unknown(),
      description: maybe,
      suggestions: z.optional(z.array(z.unknown())),
    }),
  ),
  permission_response: payload(
    z.looseObject({
      request_id: text,
      behavior: z.enum(['allow', 'deny']),
      updated_input: z.optional(z.unknown()),
      rules: z.optional(z.array(text)),
      message: maybe,
    }),
  ),
  idle_notification: payload(
    z.looseObject({
      idleReason: z.enum(['available', 'interrupted', 'failed']),
      result: maybe,
      resultPath: maybe,
      failureReason: maybe,
      /** Ids of the sender's own unfinished tasks. */
      openTasks: z.optional(z.array(text)),
    }),
  ),
  teammate_exited: payload(
    z.looseObject({
      name: text,
      code: z.nullable(z.number()),
      signal: z.nullable(text),
      forced: boolean,
      lastText: maybe,
    }),
  ),
  task_assignment: payload(z.looseObject({ task_id: text, subject: text })),
  mode_set: payload(z.looseObject({ mode: PermissionMode })),
  interrupt: payload(z.looseObject({})),
  /** `asked`: what is started, as whoever carries it out reads it. Nobody waits for it once `asker` has ended. */
  member_start: payload(
    z.looseObject({
      request_id: text,
      asker: z.object({ pid: z.number(), procStart: text }),
      asked: z.unknown(),
    }),
  ),
  team_permission: payload(z.union([z.looseObject({ rule: text }), z.looseObject({ path: text, toolName: text })])),
} as const;

export type ProtocolType = keyof typeof payloads;
export type PayloadOf<T extends ProtocolType> = z.output<(typeof payloads)[T]>;

const protocol = <T extends ProtocolType>(type: T) => z.object({ type: z.literal(type), payload: payloads[type] });
const Protocol = z.discriminatedUnion('type', [
  protocol('shutdown_request'),
  protocol('shutdown_response'),
  protocol('plan_approval_request'),
  protocol('plan_approval_response'),
  protocol('permission_request'),
  protocol('permission_response'),
  protocol('idle_notification'),
  protocol('teammate_exited'),
  protocol('task_assignment'),
  protocol('mode_set'),
  protocol('interrupt'),
  protocol('team_permission'),
  protocol('member_start'),
]);

export type Payload =
  | z.output<typeof Protocol>
  | { readonly type: 'message'; readonly payload: { readonly text: string } };

/** What a message says: prose, a protocol message that makes sense, or a problem to report instead of obeying it. */
export function parsePayload(message: Message): Payload | { readonly problem: string } {
  const { type, msg_id, from } = message;
  if (type === 'message') return { type, payload: { text: message.text } };
  if (!MessageType.safeParse(type).success)
    return { problem: `Message ${msg_id} from ${from} has the unknown type ${JSON.stringify(type)}.` };
  const raw = asPayload(message.text);
  const payload = isRecord(raw) && message.request_id !== undefined ? { request_id: message.request_id, ...raw } : raw;
  const parsed = Protocol.safeParse({ type, payload });
  return parsed.success
    ? parsed.data
    : { problem: `The ${type} ${msg_id} from ${from} is broken:\n${z.prettifyError(parsed.error)}` };
}

function asPayload(raw: unknown): unknown {
  const value = typeof raw === 'string' ? parsedOrSame(raw) : raw;
  return isRecord(value) && value['request_id'] === undefined && 'requestId' in value
    ? { ...value, request_id: value['requestId'] }
    : value;
}

function parsedOrSame(raw: string): unknown {
  try {
    return JSON.parse(raw);
  } catch {
    return raw;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
