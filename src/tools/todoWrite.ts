import * as z from 'zod/mini';
import { defineTool, type Tool } from '../agent/tool.js';
import { ToolError } from '../util/errors.js';

const Todo = z.object({
  content: z.string().check(z.minLength(1), z.describe('What is to be done')),
  status: z.enum(['pending', 'in_progress', 'completed']),
  activeForm: z.string().check(z.minLength(1), z.describe('The same while it is being done: "Running the tests"')),
});
export type Todo = z.infer<typeof Todo>;

/** One agent's own list, which lives as long as the agent and is nobody else's. @param changed told of each new list, for the person to see */
export function createTodoWriteTool(changed: (todos: readonly Todo[]) => Promise<void> = async () => {}): Tool {
  return defineTool({
    name: 'TodoWrite',
    description:
      'Keeps your own list of steps, whole each time, for work of three steps or more. It is yours alone: what the team shall see are tasks.',
    input: z.object({ todos: z.array(Todo) }),
    isReadOnly: true,
    isCoordination: true,
    isConcurrent: false,
    access: () => ({ kind: 'none' }),
    async call({ todos }) {
      const contents = todos.map(({ content }) => content);
      const twice = contents.find((content, index) => contents.indexOf(content) !== index);
      if (twice !== undefined) throw new ToolError(`Two to-dos say ${JSON.stringify(twice)}. Tell them apart.`);
      const active = todos.filter(({ status }) => status === 'in_progress');
      if (active.length > 1)
        throw new ToolError(
          `${active.length} to-dos are in_progress. Have one in progress at a time; set the others to pending.`,
        );
      await changed(todos);
      const count = (wanted: string) => todos.filter(({ status }) => status === wanted).length;
      const next = todos.find(({ status }) => status !== 'completed');
      if (todos.length === 0) return 'The list is empty now.';
      return next === undefined
        ? 'All is completed.'
        : `${count('completed')} of ${todos.length} completed. ${next.status === 'in_progress' ? 'Now' : 'Next'}: ${next.content}`;
    },
  });
}
