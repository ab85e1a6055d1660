import type { ToolUseBlock } from '../../model/types.js';
import { oneLine } from '../../util/text.js';
import type { AgentEvent } from '../events.js';
import type { TaskProgress } from './taskRecord.js';

const KEPT_ACTIVITIES = 5;

/** What a call does, in words: by tool, the word in front of the input that says most. */
const ACTIVITIES: Readonly<Record<string, readonly [word: string, field: string]>> = {
  Agent: ['Asking an agent:', 'description'],
  Bash: ['Running', 'command'],
  Edit: ['Editing', 'file_path'],
  Glob: ['Looking for', 'pattern'],
  Grep: ['Searching for', 'pattern'],
  NotebookEdit: ['Editing', 'notebook_path'],
  Read: ['Reading', 'file_path'],
  SendMessage: ['Writing to', 'to'],
  WebFetch: ['Fetching', 'url'],
  WebSearch: ['Searching the web for', 'query'],
  Write: ['Writing', 'file_path'],
};

/** "Reading src/a.ts". */
export function activityOf({ name, input }: ToolUseBlock): string {
  const [word, field] = ACTIVITIES[name] ?? [`Using ${name}`];
  const value =
    field !== undefined && typeof input === 'object' && input !== null
      ? (input as Record<string, unknown>)[field]
      : undefined;
  return typeof value === 'string' ? oneLine(`${word} ${value}`) : word.replace(/:$/, '');
}

/** A task's progress with one more event of its agent in it; the same object where the event says nothing about it. */
export function progressAfter(progress: TaskProgress, event: AgentEvent): TaskProgress {
  switch (event.type) {
    case 'assistant': {
      const { input, output, cacheRead, cacheWrite } = event.usage;
      return {
        ...progress,
        latestInputTokens: input + cacheRead + cacheWrite,
        outputTokens: progress.outputTokens + output,
      };
    }
    case 'tool_started': {
      const lastActivity = activityOf(event.call);
      return {
        ...progress,
        toolUses: progress.toolUses + 1,
        lastActivity,
        recentActivities: [...progress.recentActivities, lastActivity].slice(-KEPT_ACTIVITIES),
      };
    }
    default:
      return progress;
  }
}
