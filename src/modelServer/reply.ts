import type { Ids } from '../host/ids.js';
import type { AssistantMessage, ContentBlock, StopReason } from '../model/types.js';
import type { InputUsage } from './cacheAccounting.js';
import { tokensOf } from './tokens.js';

/** One block of an answer, before it has ids. */
export type ReplyBlock =
  | { readonly text: string }
  | { readonly thinking: string }
  | { readonly tool: string; readonly input: Readonly<Record<string, unknown>> };

export interface Reply {
  readonly blocks: readonly ReplyBlock[];
  /** `tool_use` when a tool is called, else `end_turn`, where absent. */
  readonly stop?: StopReason;
}

/** The reply as the API's message. */
export function messageOf({ blocks, stop }: Reply, model: string, usage: InputUsage, ids: Ids): AssistantMessage {
  const callsTool = blocks.some((block) => 'tool' in block);
  return {
    id: `msg_${ids.hex(24)}`,
    type: 'message',
    role: 'assistant',
    model,
    content: blocks.map((block) => contentOf(block, ids)),
    container: null,
    diagnostics: null,
    stop_reason: stop ?? (callsTool ? 'tool_use' : 'end_turn'),
    stop_sequence: null,
    stop_details: null,
    usage: {
      ...usage,
      output_tokens: Math.max(1, tokensOf(blocks.map((block) => JSON.stringify(block)).join(''))),
      output_tokens_details: null,
      inference_geo: null,
      server_tool_use: null,
      service_tier: 'standard',
      speed: null,
    },
  };
}

function contentOf(block: ReplyBlock, ids: Ids): ContentBlock {
  if ('text' in block) return { type: 'text', text: block.text, citations: null };
  if ('thinking' in block) return { type: 'thinking', thinking: block.thinking, signature: `sig_${ids.hex(32)}` };
  return {
    type: 'tool_use',
    id: `toolu_${ids.hex(24)}`,
    name: block.tool,
    input: block.input,
    caller: { type: 'direct' },
  };
}
