import * as z from 'zod/mini';

/** Reads JSON of that shape. */
export const Json =
  <T extends z.ZodMiniType>(schema: T) =>
  (text: string): z.output<T> =>
    schema.parse(JSON.parse(text));
export const Named = z.looseObject({ name: z.string() });
export const Message = z.looseObject({
  msg_id: z.string(),
  msgV: z.number(),
  from: z.string(),
  text: z.string(),
  timestamp: z.string(),
  read: z.boolean(),
  type: z.string(),
});
export const Task = z.looseObject({
  id: z.string(),
  subject: z.string(),
  description: z.string(),
  status: z.enum(['pending', 'in_progress', 'completed']),
  blocks: z.array(z.string()),
  blockedBy: z.array(z.string()),
});
export const Request = z.looseObject({
  id: z.string(),
  kind: z.enum(['plan', 'permission']),
  from: z.string(),
  createdAt: z.number(),
});
export const Team = z.looseObject({
  name: z.string(),
  state: z.enum(['starting', 'running', 'stopped', 'crashed']),
  createdAt: z.number(),
  members: z.array(Named),
});
export const Event = z.looseObject({ seq: z.number(), at: z.string(), type: z.string() });
