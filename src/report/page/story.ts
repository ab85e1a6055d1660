import type { Spent } from '../../model/usage.js';
import { head } from '../../util/text.js';
import type { FirstAndLast } from './firstAndLast.js';

/** Everything that a page tells of a team. Times are milliseconds since the epoch, texts are as somebody wrote them. */
export interface Story {
  readonly team: string;
  readonly state: string;
  readonly description?: string | undefined;
  readonly template?: string | undefined;
  readonly archive?: string | undefined;
  /** When the page was made. */
  readonly madeAt: number;
  readonly startedAt: number;
  readonly endedAt: number;
  /** The words with which the lead ended its last turn. */
  readonly result?: Clipped | undefined;
  readonly members: readonly StoryMember[];
  readonly tasks: readonly StoryTask[];
  readonly messages: FirstAndLast<StoryMessage>;
  readonly requests: readonly StoryRequest[];
  readonly denials: FirstAndLast<StoryDenial>;
  readonly events: FirstAndLast<StoryEvent>;
  /** What could not be read, and what was left out, a sentence each. */
  readonly missing: readonly string[];
}

/** A text that is shown in part. */
export interface Clipped {
  readonly text: string;
  /** How many characters are not shown. */
  readonly cut: number;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface StoryMember {
  readonly name: string;
  readonly color?: string | undefined;
  readonly agentType?: string | undefined;
  readonly state: string;
  readonly activity?: string | undefined;
  readonly waitingFor?: string | undefined;
  readonly exit?:
    | { readonly code: number | null; readonly signal: string | null; readonly forced: boolean }
    | undefined;
  readonly model: string;
  readonly mode: string;
  readonly turns: number;
  /** By model, sub-agents' included. */
  readonly models: Readonly<Record<string, Spent>>;
  readonly worktree?:
    | { readonly path: string; readonly branch?: string | undefined; readonly isGone: boolean }
    | undefined;
  readonly lastReport?: Clipped | undefined;
  readonly lives: readonly Span[];
  readonly deaths: readonly number[];
  readonly talk: Talk;
  readonly agents: readonly StoryAgent[];
  readonly agentsLeftOut: number;
}

export interface StoryAgent {
  readonly id: string;
  readonly name?: string | undefined;
  readonly agentType: string;
  readonly description: string;
  readonly model: string;
  readonly status: string;
  readonly startedAt: number;
  readonly endedAt?: number | undefined;
  readonly depth: number;
  readonly talk: Talk;
}

/** What a transcript tells. */
export interface Talk {
  /** When it was at work. */
  readonly turns: readonly Span[];
  readonly calls: FirstAndLast<ToolCall>;
  readonly failed: number;
  readonly taskChanges: readonly TaskChange[];
  readonly lastWords?: Clipped | undefined;
}

export interface ToolCall {
  readonly name: string;
  readonly at: number;
  /** What of its input says most, in one line. */
  readonly about: string;
  readonly input: Clipped;
  readonly outcome: 'ok' | 'failed' | 'denied' | 'open';
  readonly result?: Clipped | undefined;
  readonly ms?: number | undefined;
}

/** A task that was taken up or finished through a tool. */
export interface TaskChange {
  readonly task: string;
  readonly at: number;
  readonly status: string;
}

export interface StoryTask {
  readonly id: string;
  readonly subject: string;
  readonly description: Clipped;
  readonly status: string;
  readonly owner?: string | undefined;
  readonly blockedBy: readonly string[];
}

export interface StoryMessage {
  readonly at: number;
  readonly from: string;
  readonly to: readonly string[];
  readonly toAll: boolean;
  /** What one says to another, what one reports at the end of a turn, or what the harness tells. */
  readonly kind: 'message' | 'report' | 'notice';
  readonly type: string;
  readonly summary?: string | undefined;
  readonly text: Clipped;
}

export interface StoryRequest {
  readonly id: string;
  readonly kind: 'plan' | 'permission';
  readonly from: string;
  readonly at: number;
  readonly tool?: string | undefined;
  readonly text: Clipped;
  readonly answer?: StoryAnswer | undefined;
}

export interface StoryAnswer {
  readonly at: number;
  readonly by: string;
  readonly approve: boolean;
  readonly words?: string | undefined;
  readonly rules: readonly string[];
}

/** A call that was not allowed, by a rule, a mode, a hook or somebody. */
export interface StoryDenial {
  readonly at: number;
  readonly member: string;
  readonly tool: string;
  readonly about: string;
  readonly because: string;
}

export interface StoryEvent {
  readonly at: number;
  readonly type: string;
  readonly member?: string | undefined;
  readonly rest: Clipped;
}

export const NO_TALK: Talk = { turns: [], calls: { first: [], leftOut: 0, last: [] }, failed: 0, taskChanges: [] };

/** The beginning of a text. */
export function clip(text: string, max: number): Clipped {
  const shown = head(text, max);
  const cut = text.length - shown.length;
  // A copy: as a slice it would keep the whole text in memory.
  return { text: cut === 0 ? text : Buffer.from(shown).toString(), cut };
}
