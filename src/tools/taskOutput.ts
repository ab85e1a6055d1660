import * as z from 'zod/mini';
import { defineTool, type Tool } from '../agent/tool.js';
import { ToolError, UserError } from '../util/errors.js';

/** The tasks of this session, by id, agent's id or name. @throws UserError that lists what there is. */
export interface TaskPort {
  /** How it stands, and what it says; with `waitMs` not before it has ended or the time is over. */
  output(idOrName: string, waitMs: number, signal: AbortSignal): Promise<string>;
  /** Asks it to end and waits for that. */
  stop(idOrName: string): Promise<string>;
}

const DEFAULT_WAIT_MS = 30_000;
const LONGEST_WAIT_MS = 600_000;

export function createTaskOutputTool(port: Pick<TaskPort, 'output'>): Tool {
  return defineTool({
    name: 'TaskOutput',
    description:
      'How a background task stands and what it has said. You are told by yourself when one has ended: use this only when you cannot go on without it.',
    input: z.object({
      task_id: z.string().check(z.describe('Id or name of an agent or a command')),
      block: z._default(z.boolean().check(z.describe('Wait until it has ended')), true),
      timeout: z._default(
        z.int().check(z.minimum(0), z.maximum(LONGEST_WAIT_MS), z.describe('Milliseconds')),
        DEFAULT_WAIT_MS,
      ),
    }),
    isReadOnly: true,
    isCoordination: true,
    access: () => ({ kind: 'none' }),
    call: ({ task_id, block, timeout }, { signal }) =>
      forModel(() => port.output(task_id, block ? timeout : 0, signal)),
  });
}

export function createTaskStopTool(port: Pick<TaskPort, 'stop'>): Tool {
  return defineTool({
    name: 'TaskStop',
    description: 'End a background task. An agent can be gone on with later: SendMessage to its id.',
    input: z.object({
      task_id: z.optional(z.string().check(z.describe('Id or name of an agent or a command'))),
      shell_id: z.optional(z.string().check(z.describe('Old name of task_id'))),
    }),
    isReadOnly: false,
    isCoordination: true,
    access: () => ({ kind: 'none' }),
    async call({ task_id, shell_id }) {
      const id = task_id ?? shell_id;
      if (id === undefined) throw new ToolError('Give task_id: the id or name of what is to be ended.');
      return forModel(() => port.stop(id));
    },
  });
}

async function forModel(work: () => Promise<string>): Promise<string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UserError) throw new ToolError(error.message, { cause: error });
    throw error;
  }
}
