import type { NoticeFacts } from '../../agent/background/notices.js';
import type { TaskOutcome, TaskRecord } from '../../agent/background/taskRecord.js';
import type { AgentDefinition } from '../../definitions/agent.js';
import type { RunRecord } from '../../team/runRecord.js';
import { UserError } from '../../util/errors.js';

export interface Ended {
  readonly record: TaskRecord;
  readonly outcome: TaskOutcome;
  readonly facts: NoticeFacts;
  readonly definition: Pick<AgentDefinition, 'oneShot'>;
  /** Where its conversation is. */
  readonly transcript: string;
}

/** What a caller that waited reads of an agent that has ended. @throws UserError where it has no result. */
export function resultText({ record, outcome, facts, definition, transcript }: Ended): string {
  const { status, result = '', error = '' } = outcome;
  const { warning, worktree, missing = [] } = facts;
  const kept = [
    ...(worktree ? [`[its work was kept in the worktree ${worktree.path}, branch ${worktree.branch}]`] : []),
    ...missing.map((sentence) => `[${sentence}]`),
  ];
  if (status !== 'completed' && status !== 'partial')
    throw new UserError([failure(status, error), resumable(record), ...kept].join('\n'), 1);
  const partial = status === 'partial' ? [`[partial: ${error} Its transcript is in ${transcript}]`] : [];
  const { usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } } = outcome;
  const tokens = usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
  const seconds = Math.round(((record.endedAt ?? record.startedAt) - record.startedAt) / 100) / 10;
  const facts_ = `[${record.agentId}: ${record.progress.toolUses} tool uses, ${tokens} tokens, ${seconds} s]`;
  return [
    ...(warning === undefined ? [] : [warning]),
    ...(result === '' ? [] : [result]),
    ...partial,
    ...kept,
    ...(definition.oneShot ? [] : ['', facts_]),
  ].join('\n');
}

function failure(status: TaskOutcome['status'], error: string): string {
  switch (status) {
    case 'timed_out':
      return `The agent was ended: ${error}`;
    case 'killed':
      return `The agent was ended before it was done.${error === '' ? '' : ` ${error}`}`;
    default:
      return `The agent failed: ${error}`;
  }
}

const resumable = ({ agentId }: TaskRecord) =>
  `[${agentId}: SendMessage to this id lets it go on from where it stopped]`;

/** What a caller reads of an agent that goes on without it. */
export function launchedText(record: TaskRecord, prompt: string, canReadOutputFile: boolean): string {
  const { id, agentId, name, description, outputFile } = record;
  return JSON.stringify({
    status: 'async_launched',
    taskId: id,
    agentId,
    ...(name !== undefined && { name }),
    description,
    prompt,
    outputFile,
    canReadOutputFile,
  });
}

/** Of the output of a task that runs. */
const SHOWN_LINES = 50;

/** What TaskOutput tells. */
export function standText(record: TaskRecord, lastLines: readonly string[] = []): string {
  const { id, agentId, name, type, description, status, progress, result, error, outputFile } = record;
  const { toolUses, outputTokens, recentActivities, summary } = progress;
  return [
    `${agentId ?? id}${name === undefined ? '' : ` "${name}"`} (${type}, ${description}): ${status}`,
    ...(type === 'agent' ? [`${toolUses} tool uses, ${outputTokens} tokens written`] : []),
    ...(status === 'running' && summary !== undefined ? [`It says: ${summary}`] : []),
    ...(status === 'running' && recentActivities.length > 0 ? [`Lately: ${recentActivities.join('; ')}`] : []),
    ...(error === undefined ? [] : [`Error: ${error}`]),
    ...(status === 'running' ? lastLines.slice(-SHOWN_LINES) : []),
    ...(result === undefined ? [] : [result]),
    `Output file: ${outputFile}`,
  ].join('\n');
}

/** How a member stands, for whoever asks as after a task. @param record nothing where it never ran */
export function memberStandText(name: string, record: RunRecord | undefined): string {
  const stand = record === undefined ? 'never started' : (record.activity ?? record.state);
  return `${name} is a member of the team (${stand}) and no task. What it does comes to you as messages; ask it with SendMessage.`;
}
