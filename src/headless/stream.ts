import type { AgentEvent } from '../agent/events.js';
import type { TaskRecord } from '../agent/taskRecord.js';
import type { TeamEvent } from '../team/eventLog.js';

/** The session that the lines of `stream-json` belong to. */
export interface StreamFacts {
  readonly session_id: string;
  readonly team: string;
  readonly cwd: string;
  readonly model: string;
  readonly permissionMode: string;
  readonly members: readonly string[];
}

/** The first line of `stream-json`. */
export function initLine({ session_id, team, cwd, model, permissionMode, members }: StreamFacts): object {
  return { type: 'system', subtype: 'init', session_id, team, cwd, model, permissionMode, members };
}

/** What happened to the lead, as a line of `stream-json`; not everything is one. */
export function agentLine(event: AgentEvent, session_id: string): object | undefined {
  switch (event.type) {
    case 'assistant':
      return { type: 'assistant', message: event.message, parent_tool_use_id: null, session_id };
    case 'prompt':
    case 'results':
      return { type: 'user', message: event.message, parent_tool_use_id: null, session_id };
    case 'retry':
      return {
        type: 'system',
        subtype: 'api_retry',
        attempt: event.attempt,
        max_retries: event.maxRetries,
        retry_delay_ms: event.delayMs,
        error_status: event.status ?? null,
        error: event.error,
        session_id,
      };
    case 'compacted': {
      const compact_metadata = { trigger: event.trigger, pre_tokens: event.preTokens };
      return { type: 'system', subtype: 'compact_boundary', compact_metadata, session_id };
    }
    case 'task_started':
    case 'task_progress':
    case 'task_notification':
      return { type: 'system', subtype: event.type, ...taskFields(event.task), session_id };
    default:
      return undefined;
  }
}

function taskFields({ id, type, agentId, name, toolUseId, description, status, progress, outputFile }: TaskRecord) {
  return {
    task_id: id,
    task_type: type,
    agent_id: agentId,
    name,
    tool_use_id: toolUseId,
    description,
    status,
    usage: {
      latest_input_tokens: progress.latestInputTokens,
      output_tokens: progress.outputTokens,
      tool_uses: progress.toolUses,
    },
    last_activity: progress.lastActivity,
    summary: progress.summary,
    output_file: outputFile,
  };
}

const TEAMMATE_EVENTS = new Set([
  'spawned',
  'idle',
  'exited',
  'terminated',
  'plan_asked',
  'plan_decided',
  'permission_asked',
  'permission_decided',
]);

/** What happened in the team, as a line of `stream-json`. */
export function teamLine({ type, seq: _, ...fields }: TeamEvent, session_id: string): object | undefined {
  return TEAMMATE_EVENTS.has(type) ? { type: 'system', subtype: `teammate_${type}`, ...fields, session_id } : undefined;
}
