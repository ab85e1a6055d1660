import type { AssistantMessage, ContentBlock } from '../model/types.js';

/** One server-sent event: its name, and its data, which repeats the name as `type`. */
export interface ServerEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** How finely a block is streamed: in at most so many parts, or in parts of so many characters. */
export type Grain = { readonly parts: number } | { readonly characters: number };

/** A message as the API streams it. Source: the streaming page of the API's documentation. */
export function* eventsOf(message: AssistantMessage, grain: Grain = { parts: 4 }): Generator<ServerEvent> {
  const { content, stop_reason, stop_sequence, stop_details, container, usage } = message;
  const empty = {
    ...message,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  };
  yield { type: 'message_start', message: empty };
  for (const [index, block] of content.entries()) {
    yield { type: 'content_block_start', index, content_block: startOf(block) };
    if (index === 0) yield { type: 'ping' };
    const isCut = stop_reason === 'max_tokens' && index === content.length - 1;
    for (const delta of deltasOf(block, isCut, grain)) yield { type: 'content_block_delta', index, delta };
    yield { type: 'content_block_stop', index };
  }
  const {
    input_tokens,
    cache_creation_input_tokens,
    cache_read_input_tokens,
    output_tokens,
    output_tokens_details,
    server_tool_use,
  } = usage;
  yield {
    type: 'message_delta',
    delta: { stop_reason, stop_sequence, stop_details, container },
    usage: {
      input_tokens,
      cache_creation_input_tokens,
      cache_read_input_tokens,
      output_tokens,
      output_tokens_details,
      server_tool_use,
    },
  };
  yield { type: 'message_stop' };
}

/** The bytes of one event on the wire. */
export function encode(event: ServerEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function startOf(block: ContentBlock): unknown {
  if (block.type === 'text') return { ...block, text: '' };
  if (block.type === 'thinking') return { ...block, thinking: '', signature: '' };
  if (block.type === 'tool_use' || block.type === 'server_tool_use') return { ...block, input: {} };
  return block;
}

function deltasOf(block: ContentBlock, isCut: boolean, grain: Grain): unknown[] {
  switch (block.type) {
    case 'text':
      return pieces(block.text, grain).map((text) => ({ type: 'text_delta', text }));
    case 'thinking':
      return [
        ...pieces(block.thinking, grain).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: block.signature },
      ];
    case 'tool_use':
    case 'server_tool_use': {
      const json = JSON.stringify(block.input);
      // An answer that reached its limit ends in the middle of its last call.
      const sent = isCut ? json.slice(0, Math.floor(json.length / 2)) : json;
      return ['', ...(json === '{}' ? [] : pieces(sent, grain))].map((partial_json) => ({
        type: 'input_json_delta',
        partial_json,
      }));
    }
    default:
      return [];
  }
}

/** A text in parts, whole code points each. */
function pieces(text: string, grain: Grain): string[] {
  const points = [...text];
  const size = 'parts' in grain ? Math.max(1, Math.ceil(points.length / grain.parts)) : grain.characters;
  const parts: string[] = [];
  for (let at = 0; at < points.length; at += size) parts.push(points.slice(at, at + size).join(''));
  return parts;
}
