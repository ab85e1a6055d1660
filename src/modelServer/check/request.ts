import * as z from 'zod/mini';
import { explain } from './issue.js';

/**
 * The body of `POST /v1/messages` and of `count_tokens`, as far as this server looks at it. Loose everywhere: real
 * clients send more (beta fields, server tools), and what is not looked at is let through.
 */
const maybe = <T extends z.ZodMiniType>(schema: T) => z.optional(z.nullable(schema));

const CacheControl = z.looseObject({ type: z.literal('ephemeral'), ttl: maybe(z.enum(['5m', '1h'])) });
export type CacheControl = z.infer<typeof CacheControl>;
const common = { cache_control: maybe(CacheControl) };

const TextBlock = z.looseObject({ type: z.literal('text'), text: z.string(), ...common });
const ToolUseBlock = z.looseObject({
  type: z.literal('tool_use'),
  id: z.string().check(z.regex(/^[a-zA-Z0-9_-]+$/, "String should match pattern '^[a-zA-Z0-9_-]+$'")),
  name: z.string().check(z.minLength(1)),
  input: z.record(z.string(), z.unknown()),
  ...common,
});
const ToolResultBlock = z.looseObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: maybe(z.union([z.string(), z.array(z.looseObject({ type: z.string() }))])),
  is_error: maybe(z.boolean()),
  ...common,
});
const serverToolId = z
  .string()
  .check(z.regex(/^srvtoolu_[a-zA-Z0-9_]+$/, "String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'"));
const ServerToolUseBlock = z.looseObject({
  type: z.literal('server_tool_use'),
  id: serverToolId,
  name: z.string().check(z.minLength(1)),
  input: z.record(z.string(), z.unknown()),
  ...common,
});
const WebSearchResult = z.looseObject({
  type: z.literal('web_search_result'),
  url: z.string(),
  title: z.string(),
  encrypted_content: z.string(),
});
const WebSearchResultBlock = z.looseObject({
  type: z.literal('web_search_tool_result'),
  tool_use_id: serverToolId,
  content: z.union([
    z.array(WebSearchResult),
    z.looseObject({ type: z.literal('web_search_tool_result_error'), error_code: z.string() }),
  ]),
  ...common,
});
const ThinkingBlock = z.looseObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() });
const RedactedThinkingBlock = z.looseObject({ type: z.literal('redacted_thinking'), data: z.string() });

export type TextBlock = z.infer<typeof TextBlock>;
export type ToolUseBlock = z.infer<typeof ToolUseBlock>;
export type ToolResultBlock = z.infer<typeof ToolResultBlock>;

const SCHEMAS = {
  text: TextBlock,
  tool_use: ToolUseBlock,
  tool_result: ToolResultBlock,
  server_tool_use: ServerToolUseBlock,
  web_search_tool_result: WebSearchResultBlock,
  thinking: ThinkingBlock,
  redacted_thinking: RedactedThinkingBlock,
};

const Block = z.looseObject({ type: z.string(), ...common }).check((ctx) => {
  const known = Object.entries(SCHEMAS).find(([type]) => type === ctx.value.type);
  const parsed = known?.[1].safeParse(ctx.value, { reportInput: true });
  if (!known || !parsed || parsed.success) return;
  for (const issue of parsed.error.issues) {
    const { path, words } = explain(issue);
    ctx.issues.push({ code: 'custom', input: issue.input, message: words, path: [known[0], ...path] });
  }
});
export type Block = z.infer<typeof Block>;

// The check above has seen to it that a block of such a type has these fields.
export const isText = (block: Block): block is TextBlock => block.type === 'text';
export const isToolUse = (block: Block): block is ToolUseBlock => block.type === 'tool_use';
export const isServerToolUse = (block: Block): block is z.infer<typeof ServerToolUseBlock> =>
  block.type === 'server_tool_use';
export const isWebSearchResult = (block: Block): block is z.infer<typeof WebSearchResultBlock> =>
  block.type === 'web_search_tool_result';
export const isToolResult = (block: Block): block is ToolResultBlock => block.type === 'tool_result';

const Message = z.looseObject({
  role: z.enum(['user', 'assistant', 'system']),
  content: z.union([z.string(), z.array(Block)]),
});
export type Message = z.infer<typeof Message>;

/** A tool of the client's, or (`type` other than `custom`) one that runs at the service. */
const Tool = z.looseObject({
  type: maybe(z.string()),
  name: maybe(z.string()),
  description: maybe(z.string()),
  input_schema: maybe(z.record(z.string(), z.unknown())),
  ...common,
});
export type Tool = z.infer<typeof Tool>;

const counted = {
  model: z.string().check(z.minLength(1)),
  messages: z.array(Message).check(z.minLength(1, 'at least one message is required')),
  system: maybe(z.union([z.string(), z.array(Block)])),
  tools: maybe(z.array(Tool)),
  tool_choice: maybe(z.looseObject({ type: z.enum(['auto', 'any', 'tool', 'none']), name: maybe(z.string()) })),
  thinking: maybe(
    z.looseObject({
      type: z.enum(['adaptive', 'enabled', 'disabled', 'between_tools']),
      budget_tokens: maybe(z.int()),
    }),
  ),
  output_config: maybe(z.looseObject({ effort: maybe(z.enum(['low', 'medium', 'high', 'xhigh', 'max'])) })),
  ...common,
};

export const CountRequest = z.looseObject({ ...counted, max_tokens: maybe(z.int()) });
export type CountRequest = z.infer<typeof CountRequest>;

export const MessagesRequest = z.looseObject({
  ...counted,
  max_tokens: z.int().check(z.minimum(0)),
  stream: maybe(z.boolean()),
  metadata: maybe(z.looseObject({ user_id: maybe(z.string()) })),
  stop_sequences: maybe(z.array(z.string())),
  temperature: maybe(z.number().check(z.minimum(0), z.maximum(1))),
  top_p: maybe(z.number().check(z.minimum(0), z.maximum(1))),
  top_k: maybe(z.int().check(z.minimum(0))),
});
export type MessagesRequest = z.infer<typeof MessagesRequest>;

/** The blocks of a message, a plain string being one text. */
export function blocksOf(content: string | readonly Block[] | null | undefined): readonly Block[] {
  if (typeof content !== 'string') return content ?? [];
  return content === '' ? [] : [{ type: 'text', text: content }];
}

/** The text of a tool result. */
export function textOfResult({ content }: ToolResultBlock): string {
  return blocksOf(content)
    .flatMap((block) => (isText(block) ? [block.text] : []))
    .join('\n');
}
