import type { TaskRegistry } from '../agent/background.js';
import type { Clock } from '../host/clock.js';
import { within } from '../host/clock.js';
import type { TaskPort } from '../tools/taskOutput.js';
import { UserError } from '../util/errors.js';
import { standText } from './subagentWords.js';

export interface TaskPortDeps {
  readonly registry: TaskRegistry;
  readonly clock: Clock;
  /** Asks a member to shut down; nothing where there is none of that name, or it is not this agent's to end. */
  readonly shutDown?: ((name: string) => Promise<string | undefined>) | undefined;
}

/** TaskOutput and TaskStop for one session's tasks. */
export function createTaskPort({ registry, clock, shutDown }: TaskPortDeps): TaskPort {
  const unknown = (idOrName: string) => {
    const known = registry.all().map((task) => task.record());
    const list = known.map(({ id, agentId, name, status }) => `${name ?? agentId ?? id} (${status})`).join(', ');
    return new UserError(`There is no task "${idOrName}". ${list === '' ? 'None is running.' : `Tasks: ${list}`}`);
  };
  return {
    async output(idOrName, waitMs, signal) {
      const task = registry.find(idOrName);
      if (!task) {
        const record = await registry.load(idOrName);
        if (!record) throw unknown(idOrName);
        return standText(record);
      }
      if (waitMs > 0 && task.record().status === 'running')
        await within(clock, waitMs, () => Promise.race([task.ended, untilAborted(signal)]));
      return standText(task.record(), task.lastLines());
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

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
