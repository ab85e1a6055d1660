import { type FilterRequest, filterTools } from '../../agent/calls/toolFilter.js';
import type { Tool } from '../../agent/tool.js';
import type { Notes } from '../../memory/notes.js';
import { isWithin } from '../../permissions/pathRule.js';
import { ToolError } from '../../util/errors.js';

const MEMORY_TOOLS = ['Read', 'Write', 'Edit'];

/**
 * The tools of an agent. One that keeps notes can read and write them whatever its definition's list says: with those
 * tools that the list does not have, it reaches nothing but its notes.
 */
export function toolsWithNotes(parent: readonly Tool[], request: FilterRequest, notes: Notes | undefined): Tool[] {
  const own = filterTools(parent, request);
  if (!notes) return own;
  const has = new Set(own.map(({ name }) => name));
  const possible = filterTools(parent, { ...request, tools: MEMORY_TOOLS });
  const added = new Set(possible.map(({ name }) => name).filter((name) => MEMORY_TOOLS.includes(name)));
  return parent.flatMap((tool) =>
    has.has(tool.name) ? [tool] : added.has(tool.name) ? [confined(tool, notes.folder)] : [],
  );
}

const forNotes = new WeakSet<Tool>();

/** Whether an agent has this tool for its notes alone. */
export const isForNotes = (tool: Tool) => forNotes.has(tool);

function confined(tool: Tool, folder: string): Tool {
  const narrow: Tool = {
    ...tool,
    prepare(raw, context) {
      const call = tool.prepare(raw, context);
      const { access } = call;
      const isInside =
        (access.kind === 'read' || access.kind === 'write') && access.paths.every((path) => isWithin(path, folder));
      if (!isInside) throw new ToolError(`You have ${tool.name} for your memory alone: ${folder}.`);
      return call;
    },
  };
  forNotes.add(narrow);
  return narrow;
}
