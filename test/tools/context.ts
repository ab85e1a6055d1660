import type { Tool, ToolContext, ToolOutput } from '../../src/agent/tool.js';
import { systemClock } from '../../src/host/clock.js';
import { createBashTool } from '../../src/tools/bash.js';
import { createReadLedger } from '../../src/tools/support/files/readLedger.js';

export function toolContext(cwd: string, given: Partial<ToolContext> = {}): ToolContext {
  const signal = new AbortController().signal;
  return { cwd, signal, toolUseId: 'toolu_1', mode: 'default', readLedger: createReadLedger(), ...given };
}

/** Runs one call, as a model would make it. */
export async function use(tool: Tool, input: object, context: ToolContext): Promise<ToolOutput> {
  return tool.prepare(input, context).run();
}

/** The text of a call's result. */
export async function textOf(tool: Tool, input: object, context: ToolContext): Promise<string> {
  const { content } = await use(tool, input, context);
  if (typeof content !== 'string') throw new Error('the result is not a text');
  return content;
}

/** Bash for calls that are judged and do not run. */
export function idleBash(): Tool {
  return createBashTool({
    clock: systemClock,
    mark: { member: 'a', home: '/' },
    environment: () => ({}),
    outputFolder: '/',
    keepsCwd: true,
    folders: () => [],
  });
}
