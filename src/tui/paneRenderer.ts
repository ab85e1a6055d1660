import type { AgentEvent } from '../agent/events.js';
import type { MessageParam } from '../model/types.js';
import { oneLine } from '../util/text.js';
import { resultWords } from './resultWords.js';
import { todoLines } from './todoLines.js';

const LINE = 160;

/** What a pane shows of an agent: its words whole, its tool calls a line each, what reached it in short. */
export function linesOf(event: AgentEvent): string[] {
  switch (event.type) {
    case 'prompt':
    case 'results':
      return messageLines(event.message);
    case 'assistant':
      return messageLines({ role: 'assistant', content: event.message.content });
    case 'retry':
      return [
        `… the model service does not answer (${oneLine(event.error, 80)}); trying again in ${Math.round(event.delayMs / 100) / 10} s (${event.attempt}/${event.maxRetries})`,
      ];
    case 'compacted':
      return [`… the conversation (about ${event.preTokens} tokens) goes on from a summary`];
    case 'turn_ended':
      return event.end.reason === 'failed'
        ? [`✗ ${event.end.error.message}`]
        : event.end.reason === 'aborted'
          ? ['(interrupted)']
          : [];
    default:
      return [];
  }
}

/** A message of a transcript, as a person reads it. */
export function messageLines({ role, content }: MessageParam): string[] {
  if (typeof content === 'string') return textLines(role, content);
  return content.flatMap((block) => {
    switch (block.type) {
      case 'text':
        return textLines(role, block.text);
      case 'tool_use':
        return todoLines(block) ?? [`● ${block.name} ${oneLine(shortInput(block.input), LINE)}`.trimEnd()];
      case 'tool_result':
        return [`  ${block.is_error ? '✗' : '⎿'} ${oneLine(resultWords(resultText(block.content)), LINE)}`];
      default:
        return [];
    }
  });
}

/** What the harness tells an agent beside its messages: no news to a person. */
const CONTEXT = /^<(git-status|team-information)>/;

function textLines(role: MessageParam['role'], text: string): string[] {
  if (role === 'assistant') return text.split(/\r?\n/);
  if (CONTEXT.test(text)) return [];
  const envelope = /<teammate-message teammate_id="([^"]*)"[^>]*>\n([\s\S]*)\n<\/teammate-message>/.exec(text);
  return envelope ? [`← ${envelope[1]}: ${oneLine(envelope[2] ?? '', LINE)}`] : [`> ${oneLine(text, LINE)}`];
}

/** The one thing of an input that tells most. */
function shortInput(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  for (const key of ['command', 'file_path', 'pattern', 'to', 'subject', 'taskId', 'description', 'plan']) {
    const value = Object.entries(input).find(([name]) => name === key)?.[1];
    if (typeof value === 'string') return value;
  }
  // What it asks comes below, on a card.
  return 'questions' in input ? '' : JSON.stringify(input);
}

function resultText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((block: unknown) =>
      typeof block === 'object' && block !== null && 'text' in block && typeof block.text === 'string'
        ? block.text
        : '[image]',
    )
    .join(' ');
}
