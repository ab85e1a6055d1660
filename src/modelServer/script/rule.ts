import * as z from 'zod/mini';
import { messageOf } from '../../util/errors.js';
import { Fault } from '../faults/fault.js';
import type { Conversation } from './conversation.js';

/** What a script module's functions are given. */
export interface Seen extends Conversation {
  /** Which request of this agent it is, from 1. */
  readonly turn: number;
  /** What rules have captured, by name. */
  readonly values: { get(name: string): string | undefined };
}

const pattern = z.string().check((ctx) => {
  try {
    new RegExp(ctx.value, 'm');
  } catch (error) {
    ctx.issues.push({ code: 'custom', input: ctx.value, message: messageOf(error) });
  }
});

const Amount = z.union([
  z.int().check(z.minimum(0)),
  z.strictObject({ min: z.optional(z.int()), max: z.optional(z.int()) }),
]);
export type Amount = z.infer<typeof Amount>;

/** Only a module can hold functions. */
function code<Result>(): z.ZodMiniType<(seen: Seen) => Result> {
  return z.custom<(seen: Seen) => Result>((value) => typeof value === 'function');
}

const When = z.strictObject({
  turn: z.optional(Amount),
  user: z.optional(pattern),
  result: z.optional(pattern),
  seen: z.optional(z.array(pattern)),
  tool: z.optional(z.string()),
  offers: z.optional(z.string()),
  system: z.optional(pattern),
  model: z.optional(pattern),
  used: z.optional(z.strictObject({ rule: z.string(), times: Amount })),
  test: z.optional(code<unknown>()),
});
export type When = z.infer<typeof When>;

const Capture = z.strictObject({ from: z.enum(['result', 'user', 'any']), match: pattern });
export type Capture = z.infer<typeof Capture>;

const Page = z.strictObject({ title: z.string(), url: z.string(), age: z.optional(z.string()) });
const SearchError = z.enum([
  'invalid_tool_input',
  'unavailable',
  'max_uses_exceeded',
  'too_many_requests',
  'query_too_long',
  'request_too_large',
]);

const Block = z
  .strictObject({
    text: z.optional(z.string()),
    thinking: z.optional(z.string()),
    tool: z.optional(z.string()),
    input: z.optional(z.record(z.string(), z.unknown())),
    search: z.optional(z.string()),
    found: z.optional(z.union([z.array(Page), SearchError])),
  })
  .check((ctx) => {
    const { text, thinking, tool, input, search, found } = ctx.value;
    const kinds = [text, thinking, tool, search].filter((kind) => kind !== undefined).length;
    const isStray = (input !== undefined && tool === undefined) || (found !== undefined && search === undefined);
    if (kinds !== 1 || isStray) {
      ctx.issues.push({
        code: 'custom',
        input: ctx.value,
        message: 'a block is one of `text`, `thinking`, `tool` with its `input`, or `search` with what is `found`',
      });
    }
  });
export type Block = z.infer<typeof Block>;

/** A plain string is one text. */
export const Said = z.pipe(
  z.union([z.string(), z.array(Block).check(z.minLength(1))]),
  z.transform((said): readonly Block[] => (typeof said === 'string' ? [{ text: said }] : said)),
);

const stops = [
  'end_turn',
  'max_tokens',
  'stop_sequence',
  'tool_use',
  'pause_turn',
  'refusal',
  'model_context_window_exceeded',
] as const;

const WrittenRule = z.strictObject({
  name: z.optional(z.string()),
  when: z.optional(When),
  once: z.optional(z.boolean()),
  capture: z.optional(z.record(z.string(), Capture)),
  reply: z.union([z.string(), z.array(Block).check(z.minLength(1)), code<unknown>()]),
  stop: z.optional(z.enum(stops)),
  fault: z.optional(Fault),
});
type WrittenRule = z.infer<typeof WrittenRule>;

export const WrittenScript = z.strictObject({ agents: z.record(z.string(), z.nullable(z.array(WrittenRule))) });

export interface Rule extends Omit<WrittenRule, 'name' | 'reply'> {
  /** Its own, or `rule 3`. */
  readonly name: string;
  readonly reply: readonly Block[] | ((seen: Seen) => unknown);
}

export function ruleOf({ reply, name, ...rule }: WrittenRule, index: number): Rule {
  return { ...rule, name: name ?? `rule ${index + 1}`, reply: typeof reply === 'string' ? [{ text: reply }] : reply };
}
