import type { Task } from '../../tasks/task.js';
import type { TaskList } from '../../tasks/taskList.js';
import { UserError } from '../../util/errors.js';
import type { HookedAgent, SessionHooks } from './sessionHooks.js';

/** What hooks are told of a task. */
export const taskFields = ({ id, subject, description }: Task) => ({
  task_id: id,
  task_subject: subject,
  task_description: description,
});

/** The task list as an agent's tools have it: hooks may keep a task from being made, and from being done. */
export function hookedTasks(
  tasks: TaskList,
  hooks: SessionHooks,
  agent: () => HookedAgent,
  leave: () => void,
): TaskList {
  return {
    ...tasks,
    async create(given) {
      const task = await tasks.create(given);
      const { block } = await hooks.fire(agent(), { event: 'TaskCreated', fields: taskFields(task) });
      if (block === undefined) return task;
      await tasks.remove(task.id);
      throw new UserError(`The task was not created: ${block}`);
    },
    async update(id, change) {
      const before = change.status === 'completed' ? await tasks.get(id) : undefined;
      if (before && before.status !== 'completed') {
        const { block, stop } = await hooks.fire(agent(), { event: 'TaskCompleted', fields: taskFields(before) });
        if (stop !== undefined) {
          hooks.note(`A hook ends the agent: ${stop}`);
          leave();
        }
        const why = block ?? stop;
        if (why !== undefined) throw new UserError(`Task ${id} is not marked as completed: ${why}`);
      }
      return tasks.update(id, change);
    },
  };
}
