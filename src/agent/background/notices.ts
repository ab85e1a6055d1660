import type { Usage } from '../../model/types.js';
import { escapeXml, head } from '../../util/text.js';
import type { TaskRecord } from './taskRecord.js';

/** Longest result that a notice carries; all of it is in the output file. */
const MAX_RESULT = 20_000;

export interface NoticeFacts {
  readonly usage?: Usage | undefined;
  /** Where its work was kept. */
  readonly worktree?: { readonly path: string; readonly branch: string } | undefined;
  /** A warning about what it did, to be read first. */
  readonly warning?: string | undefined;
  /** What a reader would expect here and does not find, in a sentence each. */
  readonly missing?: readonly string[] | undefined;
}

const ENDED: Readonly<Record<TaskRecord['status'], string>> = {
  running: 'is running',
  completed: 'completed',
  partial: 'ended without being done',
  failed: 'failed',
  killed: 'was stopped',
  timed_out: 'gave no sign for too long and was stopped',
};

/** What a conversation is told of a task that has ended: once for each. */
export function taskNotice(record: TaskRecord, { usage, worktree, warning, missing = [] }: NoticeFacts = {}): string {
  const { id, agentId, name, toolUseId, type, description, status, result, error, outputFile, progress } = record;
  const what = type === 'agent' ? 'Agent' : type === 'shell' ? 'Command' : 'Dream';
  const field = (tag: string, text: string | undefined) =>
    text === undefined || text === '' ? [] : [`<${tag}>${escapeXml(text)}</${tag}>`];
  const tokens = usage && usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
  return [
    '<task-notification>',
    ...field('task-id', id),
    ...field('agent-id', agentId),
    ...field('name', name),
    ...field('tool-use-id', toolUseId),
    ...field('status', status),
    ...field('summary', `${what} "${description}" ${ENDED[status]}${error === undefined ? '' : `: ${error}`}`),
    ...field('warning', warning),
    ...field('result', bounded(result)),
    ...(type === 'agent' ? field('usage', `${tokens ?? 0} tokens, ${progress.toolUses} tool uses`) : []),
    ...field('output-file', outputFile),
    ...(worktree ? [...field('worktree-path', worktree.path), ...field('worktree-branch', worktree.branch)] : []),
    ...missing.flatMap((sentence) => field('note', sentence)),
    '</task-notification>',
  ].join('\n');
}

function bounded(text: string | undefined): string | undefined {
  if (text === undefined || text.length <= MAX_RESULT) return text;
  return `${head(text, MAX_RESULT)}\n[cut: ${text.length - MAX_RESULT} more characters in the output file]`;
}
