import type { Usage } from '../../model/types.js';

/** How a task stands; all but `running` are for good. */
export type TaskStatus = 'running' | 'completed' | 'partial' | 'failed' | 'killed' | 'timed_out';

export interface TaskProgress {
  /** What the newest request took in: the size of the conversation. */
  readonly latestInputTokens: number;
  /** Summed over all responses. */
  readonly outputTokens: number;
  readonly toolUses: number;
  /** The last five, in words. */
  readonly recentActivities: readonly string[];
  readonly lastActivity?: string | undefined;
  /** What it says itself that it does, where it is asked. */
  readonly summary?: string | undefined;
}

/** Something that runs beside a conversation, or could: an agent or a command. Times are milliseconds since the epoch. */
export interface TaskRecord {
  readonly id: string;
  readonly type: 'agent' | 'shell' | 'dream';
  readonly agentId?: string | undefined;
  readonly name?: string | undefined;
  readonly toolUseId: string;
  readonly description: string;
  readonly status: TaskStatus;
  /** Nobody waits for it; false for an agent whose caller does. */
  readonly backgrounded: boolean;
  readonly startedAt: number;
  readonly endedAt?: number | undefined;
  readonly progress: TaskProgress;
  /** Its one notice was handed over. */
  readonly notified: boolean;
  readonly result?: string | undefined;
  readonly error?: string | undefined;
  readonly outputFile: string;
}

/** How a task ended. */
export interface TaskOutcome {
  readonly status: Exclude<TaskStatus, 'running'>;
  /** What it has to say; for one that was ended, its last words. */
  readonly result?: string | undefined;
  readonly error?: string | undefined;
  readonly usage?: Usage | undefined;
}

export const NO_PROGRESS: TaskProgress = {
  latestInputTokens: 0,
  outputTokens: 0,
  toolUses: 0,
  recentActivities: [],
};
