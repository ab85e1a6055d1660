import { type ApiError, invalid } from '../apiError.js';
import {
  type Block,
  blocksOf,
  isServerToolUse,
  isToolResult,
  isToolUse,
  isWebSearchResult,
  type MessagesRequest,
} from './request.js';

/** Consecutive messages of one role, which the API reads as one. */
interface Turn {
  readonly role: string;
  /** Each with the index of its message and of itself in that. */
  readonly blocks: readonly { readonly block: Block; readonly message: number; readonly index: number }[];
  readonly lastMessage: number;
}

function turnsOf(messages: MessagesRequest['messages']): Turn[] {
  const turns: Turn[] = [];
  for (const [message, { role, content }] of messages.entries()) {
    const blocks = blocksOf(content).map((block, index) => ({ block, message, index }));
    const last = turns.at(-1);
    if (last?.role === role)
      turns[turns.length - 1] = { role, blocks: [...last.blocks, ...blocks], lastMessage: message };
    else turns.push({ role, blocks, lastMessage: message });
  }
  return turns;
}

/** Every tool_use is answered at the head of the very next message, and nothing else is. */
export function pairProblem(messages: MessagesRequest['messages']): ApiError | undefined {
  const seen = new Set<string>();
  let open: string[] = [];
  let openedBy = 0;
  for (const turn of turnsOf(messages)) {
    const answered = new Set<string>();
    let isHead = true;
    for (const { block, message, index } of turn.blocks) {
      const at = `messages.${message}.content.${index}`;
      if (isToolUse(block)) {
        if (turn.role !== 'assistant')
          return invalid(`messages.${message}: \`tool_use\` blocks can only be in \`assistant\` messages`);
        if (seen.has(block.id)) return invalid(`${at}: \`tool_use\` ids must be unique`);
        seen.add(block.id);
      } else if (isToolResult(block)) {
        if (turn.role !== 'user')
          return invalid(`messages.${message}: \`tool_result\` blocks can only be in \`user\` messages`);
        if (!open.includes(block.tool_use_id)) return unexpected(at, block.tool_use_id);
        if (!isHead) return missing(openedBy, [block.tool_use_id]);
        if (answered.has(block.tool_use_id)) {
          return invalid(
            `${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${block.tool_use_id}`,
          );
        }
        answered.add(block.tool_use_id);
        continue;
      }
      isHead = false;
    }
    const unanswered = open.filter((id) => !answered.has(id));
    if (unanswered.length > 0) return missing(openedBy, unanswered);
    open = turn.blocks.flatMap(({ block }) => (isToolUse(block) ? [block.id] : []));
    openedBy = turn.lastMessage;
  }
  return open.length > 0 ? missing(openedBy, open) : undefined;
}

function missing(message: number, ids: readonly string[]): ApiError {
  return invalid(
    `messages.${message}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}. ` +
      'Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
  );
}

function unexpected(at: string, id: string): ApiError {
  return invalid(
    `${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. ` +
      'Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
  );
}

/** Every search of the service's own stands with its result in one turn; only an answer that was paused may end in one. */
export function searchProblem(messages: MessagesRequest['messages']): ApiError | undefined {
  const turns = turnsOf(messages);
  for (const turn of turns) {
    const open = new Set<string>();
    for (const { block, message, index } of turn.blocks) {
      const at = `messages.${message}.content.${index}`;
      if ((isServerToolUse(block) || isWebSearchResult(block)) && turn.role !== 'assistant')
        return invalid(`messages.${message}: \`${block.type}\` blocks can only be in \`assistant\` messages`);
      if (isServerToolUse(block) && block.name === 'web_search') open.add(block.id);
      if (isWebSearchResult(block) && !open.delete(block.tool_use_id))
        return invalid(
          `${at}: unexpected \`tool_use_id\` found in \`web_search_tool_result\` blocks: ${block.tool_use_id}. ` +
            'Each `web_search_tool_result` block must have a corresponding `server_tool_use` block before it.',
        );
    }
    const [dangling] = open;
    if (dangling !== undefined && turn !== turns.at(-1))
      return invalid(
        `messages.${turn.lastMessage}: \`web_search\` tool use with id \`${dangling}\` was found without a corresponding \`web_search_tool_result\` block`,
      );
  }
  return undefined;
}
