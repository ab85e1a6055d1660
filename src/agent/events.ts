import type { AssistantMessage, MessageParam, RetryEvent, ToolUseBlock, Usage } from '../model/types.js';
import type { TaskEvent } from './background/background.js';

/** How one turn of an agent's conversation ended: from a prompt to the answer that asks for no more tools. */
export type TurnEnd =
  /** `stoppedBy`: a hook ended it, for this reason. */
  | { readonly reason: 'done'; readonly text: string; readonly stoppedBy?: 'hook' }
  /** A plan was handed in; its answer starts the next turn. */
  | { readonly reason: 'waits-for-plan'; readonly text: string }
  /** The turn was interrupted, or the agent is being ended. */
  | { readonly reason: 'aborted'; readonly text: string }
  | { readonly reason: 'max-turns'; readonly text: string }
  | { readonly reason: 'failed'; readonly text: string; readonly error: Error };

export type CompactionTrigger = 'auto' | 'prompt-too-long';

/** What a response of the model cost. */
export type Spending = Pick<Extract<AgentEvent, { type: 'assistant' }>, 'message' | 'usage' | 'costUsd'> & {
  /** Milliseconds that the model took, where that was measured. */
  readonly durationMs?: number;
};

/** Everything that happens to an agent, in order. Screens, transcripts of a run and counters are subscribers. */
export type AgentEvent =
  /** It has its tools now; the first one. */
  | {
      readonly type: 'joined';
      readonly tools: readonly string[];
      /** The agent types that it can start. */
      readonly agents: readonly string[];
      readonly mcpServers: readonly { readonly name: string; readonly status: string }[];
    }
  | { readonly type: 'prompt'; readonly message: MessageParam }
  | {
      readonly type: 'assistant';
      readonly message: AssistantMessage;
      readonly usage: Usage;
      readonly costUsd: number;
      readonly durationMs: number;
    }
  /** Older messages were replaced by a summary, which `message` is the model's answer with. */
  | {
      readonly type: 'compacted';
      readonly trigger: CompactionTrigger;
      /** Tokens that the conversation had before. */
      readonly preTokens: number;
      readonly message: AssistantMessage;
      readonly usage: Usage;
      readonly costUsd: number;
      readonly durationMs: number;
    }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_started'; readonly call: ToolUseBlock }
  | { readonly type: 'tool_denied'; readonly call: ToolUseBlock; readonly because: string }
  | { readonly type: 'results'; readonly message: MessageParam }
  | RetryEvent
  | { readonly type: 'turn_ended'; readonly end: TurnEnd }
  /** What happened to an agent that this one, or one below it, started by the call `toolUseId`. */
  | { readonly type: 'subagent'; readonly toolUseId: string; readonly event: AgentEvent }
  /** A task that runs beside the conversation. */
  | TaskEvent;
