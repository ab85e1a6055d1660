import * as z from 'zod/mini';
import { oneLine } from '../util/text.js';

const LINE = 120;
const SIGNS = { pending: '☐', in_progress: '▸', completed: '☑' } as const;

const List = z.object({
  todos: z.array(z.object({ content: z.string(), status: z.enum(['pending', 'in_progress', 'completed']) })),
});

/** A list of steps as a person reads it, one a line; nothing for any other call. */
export function todoLines({ name, input }: { readonly name: string; readonly input: unknown }): string[] | undefined {
  const list = name === 'TodoWrite' ? List.safeParse(input) : undefined;
  if (!list?.success) return undefined;
  return ['● To do', ...list.data.todos.map(({ content, status }) => `  ${SIGNS[status]} ${oneLine(content, LINE)}`)];
}
