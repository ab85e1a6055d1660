import type { MessageParam, ToolUseBlock } from '../model/types.js';
import type { PermissionMode } from '../permissions/mode.js';
import type { CompactionTrigger } from './events.js';
import type { Access, Sight, Tool } from './tool.js';

/** Where an agent's conversation is kept. */
export interface TranscriptPort {
  /**
   * Where the process's own death does not lose it when it returns; an assistant's words, and those that deliver mail, also
   * where a power cut does not. `mail`: ids of the inbox messages that this line delivers.
   */
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
  /** The files that it would write, as it was judged by: as they are named, then as they are. */
  readonly paths?: readonly string[] | undefined;
  readonly suggestions: readonly { readonly behavior: 'allow'; readonly rule: string }[];
}

export type PermissionAnswer =
  | { readonly allow: true }
  | {
      readonly allow: false;
      readonly because: string;
      /** The agent is ended with it. */
      readonly ends?: boolean | undefined;
    };

/** Asks whoever may decide. Never hangs: silence is a denial. */
export type AskPort = (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer>;

/** A permission that a hook may have answered in the person's place, with another input for the call. */
export type HookedAnswer = PermissionAnswer & {
  readonly input?: Readonly<Record<string, unknown>> | undefined;
  /** The turn ends behind this batch of calls. */
  readonly stops?: boolean | undefined;
};

/** An answer, with what the call may show where it runs. */
export type JudgedAnswer = HookedAnswer & { readonly sight?: Sight };

/** A call as hooks are told of it: its input is in order. */
export interface HookedCall {
  readonly tool: Tool;
  readonly access: Access;
  readonly call: ToolUseBlock;
}

/** What hooks have to say of one call. */
export interface CallHooks {
  readonly said?: 'allow' | 'ask' | undefined;
  /** A question that is about to be asked; nothing where it is still to be asked. */
  onQuestion(question: PermissionQuestion, about: HookedCall, signal: AbortSignal): Promise<HookedAnswer | undefined>;
}

/** Whether a call may run. */
export interface Gate {
  decide(tool: Tool, access: Access, call: ToolUseBlock, signal: AbortSignal, hooks?: CallHooks): Promise<JudgedAnswer>;
}

/** What a tool may change for the calls after it. */
export interface AgentState {
  cwd: string;
  mode: PermissionMode;
}
