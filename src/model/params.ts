import type Anthropic from '@anthropic-ai/sdk';
import { withBreakpoints } from './cache.js';
import { type ModelFacts, modelFacts } from './catalogue.js';
import type { Effort, MessageParam, ModelRequest } from './types.js';

/** The body of a request, for `model` instead of the asked one where that is the fallback. */
export function paramsFor(request: ModelRequest, model = request.model): Anthropic.MessageStreamParams {
  const facts = modelFacts(model);
  const { thinking, effort } = thinkingFor(facts, request);
  const maxTokens = Math.min(request.maxTokens ?? facts.maxOutput, facts.maxOutput);
  const system = request.system.filter((text) => text !== '').map((text) => ({ type: 'text' as const, text }));
  // In a fixed order, for the prefix that is cached must not change between turns.
  const tools = ordered([...request.tools, ...(request.serverTools ?? [])]);
  return withBreakpoints({
    model,
    max_tokens: maxTokens,
    ...(system.length > 0 && { system }),
    ...(tools.length > 0 && { tools }),
    messages: model === request.model ? [...request.messages] : withoutThinking(request.messages),
    metadata: { user_id: request.userId },
    ...(thinking && { thinking }),
    ...(effort && { output_config: { effort } }),
  });
}

/** By name, but for those of MCP servers, which may come later: they stand behind all others, as they came. */
function ordered<T extends { readonly name: string }>(tools: readonly T[]): T[] {
  const own = tools.filter(({ name }) => !name.startsWith('mcp__'));
  return [...own.sort((a, b) => (a.name < b.name ? -1 : 1)), ...tools.filter(({ name }) => name.startsWith('mcp__'))];
}

/** Thinking switched on or off in the form that the model takes; where it cannot be off, it is at its lowest. */
function thinkingFor(
  { thinking: forms, takesEffort, thinksAtTopEffort }: ModelFacts,
  { effort, thinking = 'adaptive' }: ModelRequest,
): { thinking?: Anthropic.ThinkingConfigParam; effort?: Effort | undefined } {
  const withEffort = (wanted: Effort | undefined) => (takesEffort && wanted !== undefined ? { effort: wanted } : {});
  if (thinking === 'adaptive') {
    return { ...(forms.includes('adaptive') && { thinking: { type: 'adaptive' } }), ...withEffort(effort) };
  }
  const mustThink = thinksAtTopEffort && (effort === 'xhigh' || effort === 'max');
  if (forms.includes('disabled') && !mustThink) return { thinking: { type: 'disabled' }, ...withEffort(effort) };
  if (forms.includes('between_tools')) return { thinking: { type: 'between_tools' }, ...withEffort(effort) };
  return withEffort(effort ?? 'low');
}

/** Thinking is signed for the model that thought it: another model refuses it. */
export function withoutThinking(messages: readonly MessageParam[]): MessageParam[] {
  return messages.flatMap((message): MessageParam[] => {
    if (message.role === 'system' || typeof message.content === 'string') return [message];
    const content = message.content.filter(({ type }) => type !== 'thinking' && type !== 'redacted_thinking');
    return content.length === 0 ? [] : [{ ...message, content }];
  });
}
