import type * as z from 'zod/mini';
import { isKnownModel, type ModelFacts, modelFacts } from '../../model/catalogue.js';
import { type ApiError, apiError, invalid } from '../apiError.js';
import { promptTokens, type Segment, segmentsOf } from '../tokens.js';
import { explain } from './issue.js';
import { pairProblem, searchProblem } from './pairs.js';
import { type Block, blocksOf, CountRequest, isText, isToolResult, isToolUse, MessagesRequest } from './request.js';
import { serverToolProblem } from './serverTool.js';
import { toolProblem } from './toolSchema.js';

const MAX_BREAKPOINTS = 4;
const MAX_MESSAGES = 100_000;
const SMALLEST_THINKING_BUDGET = 1024;

/** Why the API would refuse this body of `POST /v1/messages`, in its words, or `undefined`. */
export function problemIn(body: unknown): ApiError | undefined {
  const checked = checkMessages(body);
  return 'problem' in checked ? checked.problem : undefined;
}

export function checkMessages(body: unknown): { problem: ApiError } | { request: MessagesRequest } {
  const parsed = MessagesRequest.safeParse(body, { reportInput: true });
  if (!parsed.success) return { problem: shapeProblem(parsed.error) };
  const request = parsed.data;
  const facts = modelFacts(request.model);
  const problem = promptProblem(request) ?? outputProblem(request, facts) ?? samplingProblem(request, facts);
  return problem ? { problem } : { request };
}

/** As `checkMessages`, for `count_tokens`. */
export function checkCount(body: unknown): { problem: ApiError } | { request: CountRequest } {
  const parsed = CountRequest.safeParse(body, { reportInput: true });
  if (!parsed.success) return { problem: shapeProblem(parsed.error) };
  const problem = promptProblem(parsed.data);
  return problem ? { problem } : { request: parsed.data };
}

function promptProblem(request: CountRequest): ApiError | undefined {
  if (!isKnownModel(request.model)) return apiError(404, `model: ${request.model}`);
  const facts = modelFacts(request.model);
  const segments = segmentsOf(request);
  return (
    toolsProblem(request, facts) ??
    contentProblem(request) ??
    pairProblem(request.messages) ??
    searchProblem(request.messages) ??
    cacheProblem(request, segments) ??
    thinkingProblem(request, facts) ??
    windowProblem(segments, facts)
  );
}

function shapeProblem({ issues: [first] }: z.core.$ZodError): ApiError {
  if (first === undefined) return invalid('Invalid request');
  const { path, words } = explain(first);
  return invalid(`${path.length === 0 ? 'body' : path.join('.')}: ${words}`);
}

function toolsProblem({ tools, tool_choice: choice, messages }: CountRequest, facts: ModelFacts): ApiError | undefined {
  for (const [index, tool] of (tools ?? []).entries()) {
    const problem = toolProblem(tool, index) ?? serverToolProblem(tool, index, facts);
    if (problem !== undefined) return invalid(problem);
  }
  const names = (tools ?? []).flatMap(({ name }) => (name ? [name] : []));
  if (new Set(names).size < names.length) return invalid('tools: Tool names must be unique.');
  if (choice?.type === 'any' || choice?.type === 'tool') {
    if (!facts.takesForcedTool)
      return invalid(`tool_choice: \`${choice.type}\` is not supported for this model. Use \`auto\`.`);
    if (names.length === 0) return invalid('tool_choice: tools must be provided when tool_choice is set');
    if (choice.type === 'tool' && !names.includes(choice.name ?? ''))
      return invalid(`Tool '${choice.name}' not found in provided tools`);
  }
  if (tools && tools.length > 0) return undefined;
  const speaksOfTools = messages.some(({ content }) =>
    blocksOf(content).some((block) => isToolUse(block) || isToolResult(block)),
  );
  return speaksOfTools
    ? invalid('Requests which include `tool_use` or `tool_result` blocks must define tools')
    : undefined;
}

function contentProblem({ messages, system }: CountRequest): ApiError | undefined {
  if (messages.length > MAX_MESSAGES) return invalid(`messages: at most ${MAX_MESSAGES} messages are allowed`);
  if (messages[0]?.role !== 'user') return invalid('messages: first message must use the "user" role');
  if (Array.isArray(system) && system.some(isEmptyText))
    return invalid('system: text content blocks must be non-empty');
  for (const [index, { role, content }] of messages.entries()) {
    const isLastOfAssistant = role === 'assistant' && index === messages.length - 1;
    if (content.length === 0 && !isLastOfAssistant) {
      return invalid(
        `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
      );
    }
    for (const block of blocksOf(content)) {
      const inner = isToolResult(block) && Array.isArray(block.content) ? block.content : [];
      const texts = [block, ...inner];
      if (texts.some(isEmptyText)) return invalid('messages: text content blocks must be non-empty');
      if (texts.some(isBlankText)) return invalid('messages: text content blocks must contain non-whitespace text');
    }
  }
  return undefined;
}

const isEmptyText = (block: Block) => isText(block) && block.text === '';
const isBlankText = (block: Block) => isText(block) && block.text.trim() === '';

function cacheProblem(
  { cache_control: automatic, messages }: CountRequest,
  segments: readonly Segment[],
): ApiError | undefined {
  const marked = segments.filter(({ breakpoint }) => breakpoint !== undefined);
  if (marked.length > MAX_BREAKPOINTS) {
    return invalid(
      `A maximum of ${MAX_BREAKPOINTS} blocks with cache_control may be provided. Found ${marked.length}.`,
    );
  }
  let hasShort = false;
  for (const { breakpoint, path } of marked) {
    if (breakpoint === '5m') hasShort = true;
    else if (hasShort) {
      return invalid(
        `${automatic && path === segments.at(-1)?.path ? 'cache_control' : `${path}.cache_control`}.ttl: a ttl='1h' cache_control block must not ` +
          "come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.",
      );
    }
  }
  for (const [at, { content }] of messages.entries()) {
    for (const [index, block] of blocksOf(content).entries()) {
      if (block.cache_control && /thinking$/.test(block.type)) {
        return invalid(`messages.${at}.content.${index}.${block.type}.cache_control: Extra inputs are not permitted`);
      }
    }
  }
  return undefined;
}

function thinkingProblem(
  { thinking, output_config, max_tokens }: CountRequest,
  facts: ModelFacts,
): ApiError | undefined {
  const effort = output_config?.effort;
  if (effort && !facts.takesEffort) return invalid('This model does not support the effort parameter.');
  if (!thinking) return undefined;
  const { type, budget_tokens: budget } = thinking;
  if (!facts.thinking.includes(type)) {
    const hint = facts.thinking.includes('adaptive')
      ? ' Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.'
      : '';
    return invalid(`"thinking.type.${type}" is not supported for this model.${hint}`);
  }
  if (type === 'disabled' && facts.thinksAtTopEffort && (effort === 'xhigh' || effort === 'max')) {
    return invalid(`"thinking.type.disabled" is not supported with effort '${effort}' for this model.`);
  }
  if (type !== 'enabled') return undefined;
  if (budget === undefined || budget === null) return invalid('thinking.enabled.budget_tokens: Field required');
  if (budget < SMALLEST_THINKING_BUDGET) {
    return invalid(
      `thinking.enabled.budget_tokens: Input should be greater than or equal to ${SMALLEST_THINKING_BUDGET}`,
    );
  }
  if (max_tokens !== undefined && max_tokens !== null && max_tokens <= budget) {
    return invalid('`max_tokens` must be greater than `thinking.budget_tokens`.');
  }
  return undefined;
}

function windowProblem(segments: readonly Segment[], { contextWindow }: ModelFacts): ApiError | undefined {
  const tokens = promptTokens(segments);
  return tokens > contextWindow
    ? invalid(`prompt is too long: ${tokens} tokens > ${contextWindow} maximum`)
    : undefined;
}

function outputProblem({ max_tokens: asked, model }: MessagesRequest, { maxOutput }: ModelFacts): ApiError | undefined {
  if (asked <= maxOutput) return undefined;
  return invalid(
    `max_tokens: ${asked} > ${maxOutput}, which is the maximum allowed number of output tokens for ${model}`,
  );
}

function samplingProblem(request: MessagesRequest, { takesSampling }: ModelFacts): ApiError | undefined {
  if (takesSampling) return undefined;
  const { temperature, top_p, top_k } = request;
  // The defaults themselves may be said.
  const set = Object.entries({
    temperature: isOther(temperature, 1),
    top_p: isOther(top_p, 1),
    top_k: isOther(top_k, 0),
  }).find(([, is]) => is);
  return set ? invalid(`\`${set[0]}\` is deprecated for this model.`) : undefined;
}

const isOther = (value: number | null | undefined, normal: number) =>
  value !== undefined && value !== null && value !== normal;
