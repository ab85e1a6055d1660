import * as z from 'zod/mini';
import { defineTool, type Tool } from '../agent/tool.js';
import type { Task } from '../tasks/task.js';
import type { TaskList } from '../tasks/taskList.js';
import { ToolError, UserError } from '../util/errors.js';

const TaskId = z.pipe(z.union([z.string(), z.number()]), z.transform(String));
const Metadata = z.optional(z.record(z.string(), z.unknown()));

/** The shared task list as tools. `self` claims in its own name and generation. */
export function createTaskTools(tasks: TaskList, self: { readonly name: string; readonly generation: number }): Tool[] {
  const shared = { isCoordination: true, access: () => ({ kind: 'none' as const }) };
  return [
    defineTool({
      ...shared,
      name: 'TaskCreate',
      description: 'Add a task to the list that the team shares.',
      input: z.object({
        subject: z.string(),
        description: z.string(),
        activeForm: z.optional(z.string()),
        metadata: Metadata,
      }),
      isReadOnly: false,
      call: (input) =>
        said(async () => {
          const { id, subject } = await tasks.create(present(input));
          return { task: { id, subject } };
        }),
    }),
    defineTool({
      ...shared,
      name: 'TaskGet',
      description: 'One task of the shared list, whole.',
      input: z.object({ taskId: TaskId }),
      isReadOnly: true,
      call: ({ taskId }) =>
        said(async () => {
          const task = await tasks.get(taskId);
          if (!task) return { task: null };
          const { id, subject, description, status, owner, blocks, blockedBy } = task;
          return { task: { id, subject, description, status, owner, blocks, blockedBy } };
        }),
    }),
    defineTool({
      ...shared,
      name: 'TaskList',
      description: 'All tasks of the shared list, a line each.',
      input: z.object({}),
      isReadOnly: true,
      call: () => said(async () => ({ tasks: (await tasks.list()).map(row) })),
    }),
    defineTool({
      ...shared,
      name: 'TaskUpdate',
      description:
        'Change a task: its status (in_progress when you begin, completed when it is done, deleted), owner (your own name claims it), text or dependencies.',
      input: z.object({
        taskId: TaskId,
        subject: z.optional(z.string()),
        description: z.optional(z.string()),
        activeForm: z.optional(z.string()),
        status: z.optional(z.enum(['pending', 'in_progress', 'completed', 'deleted'])),
        addBlocks: z.optional(z.array(TaskId)),
        addBlockedBy: z.optional(z.array(TaskId)),
        owner: z.optional(z.string()),
        metadata: Metadata,
      }),
      isReadOnly: false,
      call: ({ taskId, status, ...changes }) =>
        said(async () => {
          if (status === 'deleted') {
            await tasks.remove(taskId);
            return { success: true, taskId, updatedFields: ['deleted'] };
          }
          const claims = changes.owner === self.name || (status === 'in_progress' && changes.owner === undefined);
          const { updatedFields, statusChange } = await tasks.update(
            taskId,
            present({ ...changes, status, ...(claims && { owner: self.name, ownerGeneration: self.generation }) }),
          );
          return { success: true, taskId, updatedFields, ...(statusChange && { statusChange }) };
        }),
    }),
  ];
}

function row({ id, subject, status, owner, blockedBy }: Task): object {
  return { id, subject, status, ...(owner !== undefined && { owner }), blockedBy };
}

async function said(work: () => Promise<object>): Promise<string> {
  try {
    return JSON.stringify(await work());
  } catch (error) {
    if (error instanceof UserError) throw new ToolError(error.message, { cause: error });
    throw error;
  }
}

type Present<T> = { [K in keyof T]: Exclude<T[K], undefined> };

/** Without the keys whose value is undefined, which are no changes. */
function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
}
