import { open } from 'node:fs/promises';
import type { Task, TaskRegistry } from '../../agent/background/background.js';
import type { Clock } from '../../host/clock.js';
import { within } from '../../host/clock.js';
import type { TaskPort } from '../../tools/taskOutput.js';
import { UserError } from '../../util/errors.js';
import { standText } from './subagentWords.js';

export interface TaskPortDeps {
  readonly registry: TaskRegistry;
  readonly clock: Clock;
  /** How a member of the team stands, in words; nothing where there is none of that name. */
  readonly standOf?: ((name: string) => Promise<string | undefined>) | undefined;
  /** Asks a member to shut down; nothing where there is none of that name, or it is not this agent's to end. */
  readonly shutDown?: ((name: string) => Promise<string | undefined>) | undefined;
}

/** TaskOutput and TaskStop for one session's tasks. */
export function createTaskPort({ registry, clock, standOf, shutDown }: TaskPortDeps): TaskPort {
  const unknown = (idOrName: string) => {
    const known = registry.all().map((task) => task.record());
    const list = known
      .map(({ id, agentId, name, description, status }) => `${name ?? agentId ?? id} (${description}, ${status})`)
      .join(', ');
    return new UserError(`There is no task "${idOrName}". ${list === '' ? 'None is running.' : `Tasks: ${list}`}`);
  };
  return {
    async output(idOrName, waitMs, signal) {
      const task = registry.find(idOrName);
      if (!task) {
        const record = await registry.load(idOrName);
        if (record) return standText(record);
        const stand = await standOf?.(idOrName);
        if (stand === undefined) throw unknown(idOrName);
        return stand;
      }
      if (waitMs > 0 && task.record().status === 'running')
        await within(clock, waitMs, () => Promise.race([task.ended, untilAborted(signal)]));
      return standText(task.record(), await lastLinesOf(task));
    },
    async stop(idOrName) {
      const task = registry.find(idOrName);
      const record = task?.record() ?? (await registry.load(idOrName));
      if (!record) {
        const asked = await shutDown?.(idOrName);
        if (asked === undefined) throw unknown(idOrName);
        return asked;
      }
      if (!task || record.status !== 'running') return `${idOrName} has ended already: ${record.status}.`;
      task.stop();
      await task.ended;
      return JSON.stringify({
        message: `Stopped ${record.description}`,
        task_id: record.id,
        task_type: record.type,
      });
    },
  };
}

const SHOWN_BYTES = 16 * 1024;

/** A command's are in the file that it prints into by itself. */
async function lastLinesOf(task: Task): Promise<readonly string[]> {
  const { type, status, outputFile } = task.record();
  if (type !== 'shell' || status !== 'running') return task.lastLines();
  const file = await open(outputFile, 'r').catch(() => undefined);
  if (!file) return [];
  try {
    const { size } = await file.stat();
    const start = Math.max(0, size - SHOWN_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(SHOWN_BYTES), 0, SHOWN_BYTES, start);
    const lines = buffer.toString('utf8', 0, bytesRead).trimEnd().split('\n');
    return start === 0 ? lines : lines.slice(1);
  } finally {
    await file.close();
  }
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
