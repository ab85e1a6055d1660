import type { ContentBlockParam, MessageParam, ToolResultBlockParam } from '../model/types.js';
import { COMPACT_BOUNDARY, INHERITED, type TranscriptEntry } from './entry.js';

/** What the model is told of a call whose end is not known. */
export const INTERRUPTED =
  'Interrupted: the session ended while this call was running. It may have happened, in part or whole, and was not run again. Look before you repeat it.';

const LOST_BEGINNING = '(The beginning of this conversation could not be read.)';

interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: readonly ContentBlockParam[];
}

/**
 * The conversation as the API takes it: it begins with a user message, roles alternate, every tool call is answered in
 * the message behind it, results first. A call without a result is answered as interrupted.
 */
export function historyOf(entries: readonly TranscriptEntry[]): MessageParam[] {
  const messages = alternating(sinceBoundary(entries).flatMap(messagesOf));
  const answered = messages.map((message, index) => answering(callsIn(messages[index - 1]), message));
  const end = answering(callsIn(messages.at(-1)), { role: 'user', content: [] });
  const history = alternating([...answered, end].filter(({ content }) => content.length > 0));
  const beginning: Message[] =
    history[0]?.role === 'assistant' ? [{ role: 'user', content: [{ type: 'text', text: LOST_BEGINNING }] }] : [];
  return [...beginning, ...history].map(({ role, content }) => ({ role, content: [...content] }));
}

/** Everything that was ever said, a summary's line between what came before and behind it: for whoever looks at it. */
export function saidIn(entries: readonly TranscriptEntry[]): (MessageParam | 'summary')[] {
  return entries.flatMap((entry): (MessageParam | 'summary')[] => {
    if (!isBoundary(entry)) return messagesOf(entry).map(({ role, content }) => ({ role, content: [...content] }));
    return entry['subtype'] === COMPACT_BOUNDARY ? ['summary'] : [];
  });
}

/** Ids of the inbox messages that the transcript has: delivered again after a crash, they are dropped. */
export function deliveredMail(entries: readonly TranscriptEntry[]): Set<string> {
  return new Set(entries.flatMap(({ msg_ids = [] }) => msg_ids));
}

function sinceBoundary(entries: readonly TranscriptEntry[]): readonly TranscriptEntry[] {
  const boundary = entries.findLastIndex(isBoundary);
  return boundary < 0 ? entries : entries.slice(boundary);
}

function isBoundary({ type, subtype }: TranscriptEntry): boolean {
  return type === 'system' && (subtype === COMPACT_BOUNDARY || subtype === INHERITED);
}

function messagesOf(entry: TranscriptEntry): Message[] {
  const { type, message } = entry;
  if (isBoundary(entry)) return Array.isArray(message) ? message.flatMap(messageOf) : [];
  if (type !== 'user' && type !== 'assistant') return [];
  return messageOf(message).filter(({ role }) => role === type);
}

function messageOf(message: unknown): Message[] {
  if (!isMessageParam(message) || message.role === 'system') return [];
  const { role, content } = message;
  const blocks: ContentBlockParam[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const kept = blocks.filter((block) => block.type !== 'text' || block.text !== '');
  return kept.length === 0 ? [] : [{ role, content: kept }];
}

/** Neighbours of one role are one message: the lines of a response, or results and the mail behind them. */
function alternating(messages: readonly Message[]): Message[] {
  const joined: Message[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last?.role === message.role)
      joined[joined.length - 1] = { role: last.role, content: [...last.content, ...message.content] };
    else joined.push(message);
  }
  return joined;
}

function callsIn(message: Message | undefined): string[] {
  if (message?.role !== 'assistant') return [];
  return message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
}

/** One result for each call, in their order and first; results that answer none of them are left out. */
function answering(calls: readonly string[], { role, content }: Message): Message {
  if (role === 'assistant') return { role, content };
  const results = new Map<string, ToolResultBlockParam>();
  for (const block of content) {
    if (block.type === 'tool_result' && !results.has(block.tool_use_id)) results.set(block.tool_use_id, block);
  }
  const answers = calls.map((id) => results.get(id) ?? interrupted(id));
  return { role, content: [...answers, ...content.filter((block) => block.type !== 'tool_result')] };
}

function interrupted(id: string): ToolResultBlockParam {
  return { type: 'tool_result', tool_use_id: id, is_error: true, content: INTERRUPTED };
}

function isMessageParam(value: unknown): value is MessageParam {
  if (typeof value !== 'object' || value === null || !('role' in value) || !('content' in value)) return false;
  const { role, content } = value;
  if (role !== 'user' && role !== 'assistant') return false;
  return typeof content === 'string' || (Array.isArray(content) && content.every(isBlock));
}

function isBlock(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
