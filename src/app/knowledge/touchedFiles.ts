import type { Tool, ToolOutput } from '../../agent/tool.js';
import type { Instructions } from '../../memory/instructions.js';

/** What brings a folder's own instructions along. */
const FILE_TOOLS = new Set(['Read', 'Edit', 'Write', 'NotebookEdit']);

/** The tools, of which those that open a file tell behind their result what holds for that file. */
export function withInstructions(tools: readonly Tool[], instructions: Instructions): readonly Tool[] {
  return tools.map((tool) => (FILE_TOOLS.has(tool.name) ? telling(tool, instructions) : tool));
}

function telling(tool: Tool, instructions: Instructions): Tool {
  return {
    ...tool,
    prepare(raw, context) {
      const call = tool.prepare(raw, context);
      const { access } = call;
      if (access.kind !== 'read' && access.kind !== 'write') return call;
      return {
        access,
        async run() {
          const output = await call.run();
          if (output.isError) return output;
          // The call has been done: that a file beside it cannot be read is no reason to say that it was not.
          const told = await instructions.touched(access.paths).catch(() => '');
          return told === '' ? output : withText(output, told);
        },
      };
    },
  };
}

function withText(output: ToolOutput, text: string): ToolOutput {
  const { content } = output;
  if (typeof content === 'string') return { ...output, content: `${content}\n\n${text}` };
  return { ...output, content: [...content, { type: 'text', text }] };
}
