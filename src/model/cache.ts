import type Anthropic from '@anthropic-ai/sdk';
import type { ContentBlockParam, MessageParam } from './types.js';

type Params = Pick<Anthropic.MessageCreateParams, 'messages'> & {
  readonly system?: readonly Anthropic.TextBlockParam[];
};

const MARK: Anthropic.CacheControlEphemeral = { type: 'ephemeral' };

/**
 * Marks the prefix of tools and system prompt, and the last two user messages, as worth caching: three breakpoints of
 * the four that a request may have. What was marked before is unmarked, so that a history can be passed again and again.
 */
export function withBreakpoints<P extends Params>(params: P): P {
  const users = params.messages.flatMap((message, index) => (message.role === 'user' ? [index] : []));
  const marked = new Set(users.slice(-2));
  return {
    ...params,
    ...(params.system && { system: markLast(params.system) }),
    messages: params.messages.map((message, index) => withContent(message, marked.has(index))),
  };
}

function withContent(message: MessageParam, isMarked: boolean): MessageParam {
  if (message.role === 'system') return message;
  if (typeof message.content === 'string') {
    if (!isMarked || message.content.trim() === '') return message;
    return { ...message, content: [{ type: 'text', text: message.content, cache_control: MARK }] };
  }
  const hasMarks = message.content.some((block) => 'cache_control' in block);
  // Nearly every message of a long history goes as it is.
  if (!hasMarks && !isMarked) return message;
  const content = hasMarks ? message.content.map(unmarked) : message.content;
  return { ...message, content: isMarked ? markLast(content) : content };
}

function unmarked(block: ContentBlockParam): ContentBlockParam {
  if (!('cache_control' in block)) return block;
  const { cache_control: _, ...rest } = block;
  return rest;
}

/** With a mark on the last block that can carry one. */
function markLast<B extends ContentBlockParam>(blocks: readonly B[]): B[] {
  const last = blocks.findLastIndex(canBeMarked);
  return blocks.map((block, index) => (index === last ? { ...block, cache_control: MARK } : block));
}

function canBeMarked(block: ContentBlockParam): boolean {
  if (block.type === 'text') return block.text !== '';
  return block.type !== 'thinking' && block.type !== 'redacted_thinking';
}
