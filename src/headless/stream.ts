import * as z from 'zod/mini';
import type { TaskRecord } from '../agent/background/taskRecord.js';
import type { AgentEvent } from '../agent/events.js';
import type { TeamEvent } from '../team/eventLog.js';
import { RunResult } from './result.js';

const session_id = z.string();
const Message = (role: 'assistant' | 'user') =>
  z.looseObject({
    role: z.literal(role),
    content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))]),
  });
const parent_tool_use_id = z
  .nullable(z.string())
  .check(z.describe('The call of Agent whose sub-agent it is; null for the lead'));

/** The first line of `stream-json`. */
export const InitLine = z.strictObject({
  type: z.literal('system'),
  subtype: z.literal('init'),
  session_id,
  team: z.string(),
  cwd: z.string(),
  model: z.string(),
  permissionMode: z.string(),
  members: z.array(z.string()).check(z.describe('The teammates that it starts with')),
  tools: z.array(z.string()).check(z.describe("The lead's tools; none where it never came to have any")),
  agents: z.array(z.string()).check(z.describe('The agent types that can be started')),
  mcp_servers: z.array(z.strictObject({ name: z.string(), status: z.string() })),
});
export type InitLine = z.infer<typeof InitLine>;

const TaskLine = z.looseObject({
  type: z.literal('system'),
  subtype: z.enum(['task_started', 'task_progress', 'task_notification']),
  task_id: z.string(),
  task_type: z.string(),
  tool_use_id: z.string(),
  description: z.string(),
  status: z.string(),
  session_id,
});

const TEAMMATE_EVENTS = [
  'spawned',
  'idle',
  'exited',
  'terminated',
  'plan_asked',
  'plan_decided',
  'permission_asked',
  'permission_decided',
] as const;

/** A line of `stream-json`; the last one is the result. `schemas/stream.schema.json` is made of it. */
export const StreamLine = z.union([
  InitLine,
  z.strictObject({ type: z.literal('assistant'), message: Message('assistant'), parent_tool_use_id, session_id }),
  z.strictObject({ type: z.literal('user'), message: Message('user'), parent_tool_use_id, session_id }),
  z.strictObject({
    type: z.literal('system'),
    subtype: z.literal('api_retry'),
    attempt: z.int(),
    max_retries: z.int(),
    retry_delay_ms: z.number(),
    error_status: z.nullable(z.int()),
    error: z.string(),
    session_id,
  }),
  z.strictObject({
    type: z.literal('system'),
    subtype: z.literal('compact_boundary'),
    compact_metadata: z.strictObject({ trigger: z.enum(['auto', 'prompt-too-long']), pre_tokens: z.number() }),
    session_id,
  }),
  TaskLine,
  z.looseObject({
    type: z.literal('system'),
    subtype: z.enum(TEAMMATE_EVENTS.map((name) => `teammate_${name}` as const)),
    session_id,
  }),
  RunResult,
]);

/** What happened to an agent, as a line of `stream-json`; not everything is one. */
export function agentLine(event: AgentEvent, session_id: string, parent: string | null = null): object | undefined {
  switch (event.type) {
    case 'subagent':
      return agentLine(event.event, session_id, event.toolUseId);
    case 'assistant':
      return { type: 'assistant', message: event.message, parent_tool_use_id: parent, session_id };
    case 'prompt':
    case 'results':
      return { type: 'user', message: event.message, parent_tool_use_id: parent, session_id };
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

const isTeammates = new Set<string>(TEAMMATE_EVENTS);

/** What happened in the team, as a line of `stream-json`. */
export function teamLine({ type, seq: _, ...fields }: TeamEvent, session_id: string): object | undefined {
  return isTeammates.has(type) ? { type: 'system', subtype: `teammate_${type}`, ...fields, session_id } : undefined;
}
