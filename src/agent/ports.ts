import type { MessageParam, ToolUseBlock } from '../model/types.js';
import type { PermissionMode } from '../permissions/mode.js';
import type { CompactionTrigger } from './events.js';
import type { Access, Tool } from './tool.js';

/** Where an agent's conversation is kept. */
export interface TranscriptPort {
  /** On disk when it returns. `mail`: ids of the inbox messages that this line delivers. */
  append(type: 'user' | 'assistant', message: MessageParam, mail?: readonly string[]): Promise<void>;
  /** From here on the conversation is `history`: what came before it was summarised. */
  restart(
    history: readonly MessageParam[],
    about: { readonly trigger: CompactionTrigger; readonly preTokens: number },
  ): Promise<void>;
}

export interface PermissionQuestion {
  readonly tool: string;
  readonly toolUseId: string;
  readonly input: unknown;
  readonly description: string;
  readonly suggestions: readonly { readonly behavior: 'allow'; readonly rule: string }[];
}

export type PermissionAnswer = { readonly allow: true } | { readonly allow: false; readonly because: string };

/** Asks whoever may decide. Never hangs: silence is a denial. */
export type AskPort = (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>;

/** Whether a call may run. */
export interface Gate {
  decide(tool: Tool, access: Access, call: ToolUseBlock, signal: AbortSignal): Promise<PermissionAnswer>;
}

/** What a tool may change for the calls after it. */
export interface AgentState {
  cwd: string;
  mode: PermissionMode;
}
