import { join } from 'node:path';
import type { Arrival } from '../../agent/arrivals.js';
import type { TaskStore } from '../../agent/background/background.js';
import { taskNotice } from '../../agent/background/notices.js';
import type { SessionPaths } from '../../config/paths.js';
import type { Clock } from '../../host/clock.js';
import { openTaskFiles, type TaskFiles } from '../../transcript/taskFiles.js';
import { createTaskOutput } from '../../transcript/taskOutput.js';

/** A session's tasks on disk, as the registry sees them. */
export function taskStore(session: SessionPaths, maxOutputBytes: number | undefined): TaskStore {
  const files = openTaskFiles(session);
  return {
    save: (record) => files.saveTask({ ...record, progress: mutable(record.progress) }),
    load: async (idOrName) =>
      (await files.tasks()).findLast(
        ({ id, agentId, name }) => id === idOrName || agentId === idOrName || name === idOrName,
      ),
    openOutput: (id, onFull) =>
      createTaskOutput(join(session.tasks, `${id}.output`), { maxBytes: maxOutputBytes, onFull }),
    keepNotice: files.keepNotice,
    dropNotice: files.dropNotice,
  };
}

function mutable<P extends { readonly recentActivities: readonly string[] }>(progress: P) {
  return { ...progress, recentActivities: [...progress.recentActivities] };
}

const LOST = 'lost with its process';

/**
 * Puts a session right that goes on after its process has died: what ran is lost, and says so. Returns the notices that
 * the conversation has not had.
 * @param delivered ids that the transcript holds.
 */
export async function recoverTasks(
  files: TaskFiles,
  clock: Clock,
  delivered: ReadonlySet<string>,
): Promise<readonly Arrival[]> {
  const endedAt = clock.now();
  for (const agent of await files.agents()) {
    if (agent.status === 'running') await files.saveAgent({ ...agent, status: 'failed', endedAt });
  }
  for (const task of await files.tasks()) {
    const isLost = task.status === 'running';
    if (!isLost && (task.notified || !task.backgrounded)) continue;
    const known = isLost ? { ...task, status: 'failed' as const, error: LOST, endedAt } : task;
    if (!delivered.has(task.id)) await files.keepNotice(task.id, taskNotice(known));
    await files.saveTask({ ...known, notified: true });
  }
  const waiting: Arrival[] = [];
  for (const { id, text } of await files.notices()) {
    if (delivered.has(id)) await files.dropNotice(id);
    else waiting.push({ text, from: 'other', mail: [id], wakes: true, notice: id });
  }
  return waiting;
}
