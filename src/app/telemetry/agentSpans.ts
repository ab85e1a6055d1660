import type { AgentEvent } from '../../agent/events.js';
import type { Happening } from '../../telemetry/event.js';
import type { OpenSpan } from '../../telemetry/spans.js';
import { charactersOf, toolWord } from './words.js';

/** One agent, as its events tell of it: its turns, its tools, and sums. */
export interface AgentSpans {
  readonly span: OpenSpan;
  event(event: AgentEvent): void;
  /** Whether it waits for this call at the moment. */
  calls(toolUseId: string): boolean;
  /** What it came to; its span ends with it. */
  complete(type: string, status: string, ms: number): Extract<Happening, { name: 'agent_completed' }>;
}

export function followAgent(span: OpenSpan): AgentSpans {
  const tools = new Map<string, OpenSpan>();
  const denied = new Set<string>();
  const sums = { promptCharacters: 0, responseCharacters: 0, messages: 0, toolUses: 0, tokens: 0 };
  let turn: OpenSpan | undefined;

  return {
    span,
    calls: (toolUseId) => tools.has(toolUseId),
    event(event) {
      switch (event.type) {
        case 'prompt':
          turn ??= span.child('turn');
          sums.messages++;
          sums.promptCharacters += charactersOf(event.message);
          break;
        case 'assistant': {
          const { message, usage } = event;
          const { input, output, cacheRead, cacheWrite } = usage;
          sums.messages++;
          sums.responseCharacters += charactersOf(message);
          sums.tokens += input + output + cacheRead + cacheWrite;
          break;
        }
        case 'compacted':
          (turn ?? span).happened({ name: 'compaction', trigger: event.trigger, tokensBefore: event.preTokens });
          break;
        case 'tool_started':
          sums.toolUses++;
          tools.set(event.call.id, (turn ?? span).child('tool', { tool: toolWord(event.call.name) }));
          break;
        case 'tool_denied':
          denied.add(event.call.id);
          break;
        case 'results':
          sums.messages++;
          endTools(event.message.content);
          break;
        case 'turn_ended':
          turn?.end(event.end.reason === 'done', { end: event.end.reason });
          turn = undefined;
          break;
        default:
      }
    },
    complete(type, status, ms) {
      span.end(status === 'completed' || status === 'partial', { status });
      return { name: 'agent_completed', type, status, ms, ...sums };
    },
  };

  function endTools(content: Extract<AgentEvent, { type: 'results' }>['message']['content']): void {
    if (typeof content === 'string') return;
    for (const block of content) {
      if (block.type !== 'tool_result') continue;
      tools.get(block.tool_use_id)?.end(block.is_error !== true, { denied: denied.has(block.tool_use_id) });
      tools.delete(block.tool_use_id);
    }
  }
}
