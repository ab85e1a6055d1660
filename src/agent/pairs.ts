import type { ContentBlockParam, MessageParam, ToolResultBlockParam } from '../model/types.js';

/** Ids of the calls in a message. */
export function callsIn(message: MessageParam | undefined): string[] {
  if (message?.role !== 'assistant') return [];
  return blocksOf(message).flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
}

export function blocksOf({ content }: MessageParam): readonly ContentBlockParam[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** Whether a message answers calls of the one before it. */
export function hasResults(message: MessageParam): boolean {
  return blocksOf(message).some(({ type }) => type === 'tool_result');
}

/** One and the same result for every call of `message`. */
export function placeholderResults(message: MessageParam | undefined, content: string): ToolResultBlockParam[] {
  return callsIn(message).map((id) => ({ type: 'tool_result', tool_use_id: id, content }));
}

/** Without the calls that the message behind them does not answer, and without what is empty then. */
export function withAnsweredCalls(history: readonly MessageParam[]): MessageParam[] {
  return history.flatMap((message, index): MessageParam[] => {
    if (callsIn(message).length === 0) return [message];
    const next = history[index + 1];
    const answered = new Set(
      (next?.role === 'user' ? blocksOf(next) : []).flatMap((block) =>
        block.type === 'tool_result' ? [block.tool_use_id] : [],
      ),
    );
    const content = blocksOf(message).filter((block) => block.type !== 'tool_use' || answered.has(block.id));
    return content.length === 0 ? [] : [{ role: 'assistant', content }];
  });
}
