import { isAbout } from '../../permissions/rule.js';

/** Who a tool list is for. What an agent may use is data, never a branch on the kind of agent elsewhere. */
export type AgentKind = 'lead' | 'teammate' | 'sub-agent';

const TEAM_TOOLS = ['TeamCreate', 'TeamDelete'];
const NEVER: Record<AgentKind, readonly string[]> = {
  lead: [],
  teammate: [...TEAM_TOOLS, 'AskUserQuestion', 'EnterPlanMode'],
  'sub-agent': [...TEAM_TOOLS, 'TaskOutput', 'TaskStop', 'EnterPlanMode', 'ExitPlanMode', 'AskUserQuestion', 'Agent'],
};

/** All that a sub-agent has in the background, beside tools of MCP servers: what needs nobody. */
const BACKGROUND = new Set([
  ...['Read', 'WebSearch', 'TodoWrite', 'Grep', 'WebFetch', 'Glob', 'Bash', 'Edit', 'Write', 'NotebookEdit', 'Skill'],
  ...['StructuredOutput', 'ToolSearch', 'EnterWorktree', 'ExitWorktree', 'SendMessage'],
]);

export interface FilterRequest {
  readonly kind: AgentKind;
  /** A sub-agent that nobody waits for. */
  readonly isBackground?: boolean | undefined;
  /** A sub-agent that may have sub-agents of its own. */
  readonly mayStartAgents?: boolean | undefined;
  /** The definition's list; absent or `*` means all, empty means none. */
  readonly tools?: readonly string[] | undefined;
  readonly disallowedTools?: readonly string[] | undefined;
  /** A teammate whose plan needs approval hands it in with ExitPlanMode. */
  readonly plans?: boolean;
}

/** Whether a list names a tool: outright, or (for those of MCP servers) by their server or with `*`. */
function naming(entries: readonly string[]): (name: string) => boolean {
  const exact = new Set(entries);
  const servers = entries.filter((entry) => entry.startsWith('mcp__'));
  return (name) => exact.has(name) || servers.some((tool) => isAbout({ tool }, name, 'deny'));
}

/** Names in definitions may carry a specifier, `Bash(git *)`: that is a permission rule, not a tool. */
const bareName = (entry: string) => entry.replace(/\(.*\)$/s, '');

/** The tools of a parent that this agent has, in the parent's order. */
export function filterTools<T extends { readonly name: string }>(
  parent: readonly T[],
  { kind, isBackground, mayStartAgents, tools, disallowedTools = [], plans = false }: FilterRequest,
): T[] {
  const never = new Set(NEVER[kind]);
  if (kind === 'teammate' && !plans) never.add('ExitPlanMode');
  if (mayStartAgents) never.delete('Agent');
  const isForBackground = (name: string) =>
    !isBackground || BACKGROUND.has(name) || name.startsWith('mcp__') || (mayStartAgents && name === 'Agent');
  const isDenied = naming(disallowedTools.filter((entry) => !entry.includes('(')));
  const isNamed = tools === undefined || tools.includes('*') ? () => true : naming(tools.map(bareName));
  // A member that cannot report to its team is no member: coordination comes with the role.
  const always = new Set(
    kind === 'teammate' ? ['SendMessage', 'TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate', 'ExitPlanMode'] : [],
  );
  const own = parent.filter(
    ({ name }) => !never.has(name) && isForBackground(name) && !isDenied(name) && (isNamed(name) || always.has(name)),
  );
  // Who can start nobody has no use for a team of its own.
  return own.some(({ name }) => name === 'Agent') ? own : own.filter(({ name }) => !TEAM_TOOLS.includes(name));
}
