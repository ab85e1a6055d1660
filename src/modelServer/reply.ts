import type Anthropic from '@anthropic-ai/sdk';
import type { Ids } from '../host/ids.js';
import type { AssistantMessage, ContentBlock, StopReason } from '../model/types.js';
import { head } from '../util/text.js';
import type { InputUsage } from './cacheAccounting.js';
import { tokensOf } from './tokens.js';

/** One block of an answer, before it has ids. */
export type ReplyBlock =
  | { readonly text: string }
  | { readonly thinking: string }
  | { readonly tool: string; readonly input: Readonly<Record<string, unknown>> }
  | Search;

/** A web search that the service itself makes: what was sought, and what was found or why nothing could be. */
export interface Search {
  readonly search: string;
  readonly found:
    | readonly { readonly title: string; readonly url: string; readonly age?: string | undefined }[]
    | SearchError;
}
export type SearchError = Anthropic.WebSearchToolResultErrorCode;

export interface Reply {
  readonly blocks: readonly ReplyBlock[];
  /** `tool_use` when a tool is called, else `end_turn`, where absent. */
  readonly stop?: StopReason;
}

const REFUSED: AssistantMessage['stop_details'] = {
  type: 'refusal',
  category: null,
  explanation: null,
};

/** What a reply becomes that is refused, or that reaches max_tokens in the middle of its last call, else of its text. */
export function stopped({ blocks }: Reply, stop: 'max_tokens' | 'refusal'): Reply {
  if (stop === 'refusal') return { blocks: [], stop };
  const lastCall = blocks.findLastIndex((block) => 'tool' in block);
  const upToCall = lastCall < 0 ? blocks : blocks.slice(0, lastCall + 1);
  const last = upToCall.at(-1);
  if (last === undefined || !('text' in last)) return { blocks: upToCall, stop };
  const half = head(last.text, Math.ceil(last.text.length / 2));
  return { blocks: [...upToCall.slice(0, -1), { text: half }], stop };
}

/** The reply as the API's message. */
export function messageOf({ blocks, stop }: Reply, model: string, usage: InputUsage, ids: Ids): AssistantMessage {
  const searches = blocks.filter((block) => 'search' in block).length;
  const callsTool = blocks.some((block) => 'tool' in block);
  return {
    id: `msg_${ids.hex(24)}`,
    type: 'message',
    role: 'assistant',
    model,
    content: blocks.flatMap((block) => ('search' in block ? searchOf(block, ids) : [contentOf(block, ids)])),
    container: null,
    diagnostics: null,
    stop_reason: stop ?? (callsTool ? 'tool_use' : 'end_turn'),
    stop_sequence: null,
    stop_details: stop === 'refusal' ? REFUSED : null,
    usage: {
      ...usage,
      output_tokens: Math.max(1, tokensOf(blocks.map((block) => JSON.stringify(block)).join(''))),
      output_tokens_details: null,
      inference_geo: null,
      server_tool_use: searches > 0 ? { web_search_requests: searches, web_fetch_requests: 0 } : null,
      service_tier: 'standard',
      speed: null,
    },
  };
}

function searchOf({ search, found }: Search, ids: Ids): ContentBlock[] {
  const id = `srvtoolu_${ids.hex(24)}`;
  const caller = { type: 'direct' } as const;
  const pages = (results: Exclude<Search['found'], string>) =>
    results.map(({ title, url, age = null }) => ({
      type: 'web_search_result' as const,
      title,
      url,
      page_age: age,
      encrypted_content: `enc_${ids.hex(32)}`,
    }));
  return [
    { type: 'server_tool_use', id, name: 'web_search', input: { query: search }, caller },
    {
      type: 'web_search_tool_result',
      tool_use_id: id,
      caller,
      content: typeof found === 'string' ? { type: 'web_search_tool_result_error', error_code: found } : pages(found),
    },
  ];
}

function contentOf(block: Exclude<ReplyBlock, Search>, ids: Ids): ContentBlock {
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
