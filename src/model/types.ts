import type Anthropic from '@anthropic-ai/sdk';

/** The API's own shapes travel through the engine as they are. */
export type MessageParam = Anthropic.MessageParam;
export type ContentBlockParam = Anthropic.ContentBlockParam;
export type TextBlockParam = Anthropic.TextBlockParam;
export type ToolResultBlockParam = Anthropic.ToolResultBlockParam;
export type ToolUseBlock = Anthropic.ToolUseBlock;
export type ContentBlock = Anthropic.ContentBlock;
export type AssistantMessage = Anthropic.Message;
export type StopReason = Anthropic.StopReason;

/** A tool as the model sees it. */
export interface ToolSchema {
  readonly name: string;
  readonly description: string;
  readonly input_schema: Anthropic.Tool.InputSchema;
}

/** A tool that runs at the service, which puts what it found into its answer. */
export type ServerTool = Anthropic.WebSearchTool20250305;

export type Effort = 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** One request to the model. Cache breakpoints are added by the client, not by its callers. */
export interface ModelRequest {
  /** A concrete model id. */
  readonly model: string;
  /** Text blocks of the system prompt; byte-stable across the turns of a session. */
  readonly system: readonly string[];
  readonly messages: readonly MessageParam[];
  readonly tools: readonly ToolSchema[];
  /** Only for a model and a service that have them. */
  readonly serverTools?: readonly ServerTool[];
  /** Tokens the answer may have; the model's own limit when absent. */
  readonly maxTokens?: number;
  readonly effort?: Effort;
  /** `off`: as little as the model allows. `adaptive` (the model decides) when absent. */
  readonly thinking?: 'adaptive' | 'off';
  /** `troupe:<team>:<member>`, for a sub-agent with `/<agent-id>` behind it. */
  readonly userId: string;
}

/** Token counts of one response or a sum of several, in the run record's words. */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** How often the service searched the web, where it did. */
  readonly webSearches?: number | undefined;
}

/** `text` comes as it is streamed. Behind a `retry` the answer starts anew: what came before it is void. */
export type ModelEvent = { readonly type: 'text'; readonly text: string } | RetryEvent;

export interface RetryEvent {
  readonly type: 'retry';
  readonly attempt: number;
  readonly maxRetries: number;
  readonly delayMs: number;
  readonly status: number | undefined;
  readonly error: string;
}

export interface ModelReply {
  readonly message: AssistantMessage;
  readonly usage: Usage;
  /** US dollars, from `usage` and the catalogue's prices. */
  readonly costUsd: number;
  /** Milliseconds from the first try to the last byte. */
  readonly durationMs: number;
}

/** The only way to a model. */
export interface ModelClient {
  /** Streams one response; the generator's return value is the whole of it. @throws ModelError; the abort reason when aborted. */
  stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, ModelReply>;
}

/** What went wrong with a request, for callers to switch on. `unavailable` is what every retry met (429, 5xx, network). */
export type ModelFailure = 'unavailable' | 'unauthorized' | 'not-found' | 'prompt-too-long' | 'invalid' | 'budget';

export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly failure: ModelFailure;
  /** The HTTP status, where there was one. */
  readonly status: number | undefined;

  constructor(failure: ModelFailure, message: string, status?: number, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
    this.status = status;
  }
}
