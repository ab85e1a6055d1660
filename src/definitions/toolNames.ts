import { toolNameOf } from '../permissions/rule.js';

/** Every tool that a session can have. MCP tools (`mcp__server__tool`) come on top. */
const TOOL_NAMES: readonly string[] = [
  'Agent',
  'AskUserQuestion',
  'Bash',
  'Edit',
  'EnterPlanMode',
  'EnterWorktree',
  'ExitPlanMode',
  'ExitWorktree',
  'Glob',
  'Grep',
  'ListMcpResources',
  'NotebookEdit',
  'Read',
  'ReadMcpResource',
  'SendMessage',
  'Skill',
  'StructuredOutput',
  'TaskCreate',
  'TaskGet',
  'TaskList',
  'TaskOutput',
  'TaskStop',
  'TaskUpdate',
  'TeamCreate',
  'TeamDelete',
  'TodoWrite',
  'ToolSearch',
  'WebFetch',
  'WebSearch',
  'Write',
];

/** Tools of other programs that read the same files: there is nothing to take away, and no slip to be told of. */
const OF_OTHERS = new Set(
  (
    'Monitor PowerShell LSP Workflow Artifact CronCreate CronDelete CronList ScheduleWakeup ListAgents EndConversation ' +
    'WaitForMcpServers SubagentHandback BashOutput KillShell KillBash LS MultiEdit NotebookRead SlashCommand'
  ).split(' '),
);

/** `Bash(git *)` → `Bash`. */
export function toolOf(entry: string): string {
  return entry.replace(/\(.*$/s, '');
}

/** The entry with its tool's present name: `Task(Explore)` → `Agent(Explore)`. */
export function withoutAlias(entry: string): string {
  const tool = toolOf(entry);
  return `${toolNameOf(tool)}${entry.slice(tool.length)}`;
}

/** Whether a list of tools may name it: a tool, `*`, or anything of an MCP server. */
export function isKnownTool(entry: string): boolean {
  const tool = toolOf(entry);
  return tool === '*' || tool.startsWith('mcp__') || TOOL_NAMES.includes(tool);
}

/** Whether it is a tool that no session here can have, but another program's may. */
export function isForeignTool(entry: string): boolean {
  return OF_OTHERS.has(toolOf(entry));
}

export function knownTools(): readonly string[] {
  return TOOL_NAMES;
}

const ENTRY = /[^\s,()]+(?:\((?:[^()]|\([^()]*\))*\))?/g;

/**
 * Splits at commas and white space, but not inside the parentheses of `Bash(git commit *)` or `Agent(a, b)`;
 * `undefined` when parentheses stand where none belong, for `Bash (git *)` must not be read as `Bash`, `git` and `*`.
 */
export function splitToolList(text: string): string[] | undefined {
  return /[^\s,]/.test(text.replace(ENTRY, '')) ? undefined : (text.match(ENTRY) ?? []);
}
