/** Who a tool list is for. What an agent may use is data, never a branch on the kind of agent elsewhere. */
export type AgentKind = 'lead' | 'teammate' | 'sub-agent';

const TEAM_TOOLS = ['TeamCreate', 'TeamDelete'];
const NEVER: Record<AgentKind, readonly string[]> = {
  lead: [],
  teammate: [...TEAM_TOOLS, 'AskUserQuestion', 'EnterPlanMode'],
  'sub-agent': [...TEAM_TOOLS, 'TaskOutput', 'TaskStop', 'EnterPlanMode', 'ExitPlanMode', 'AskUserQuestion', 'Agent'],
};

export interface FilterRequest {
  readonly kind: AgentKind;
  /** The definition's list; absent or `*` means all, empty means none. */
  readonly tools?: readonly string[] | undefined;
  readonly disallowedTools?: readonly string[] | undefined;
  /** A teammate whose plan needs approval hands it in with ExitPlanMode. */
  readonly plans?: boolean;
}

/** Names in definitions may carry a specifier, `Bash(git *)`: that is a permission rule, not a tool. */
const bareName = (entry: string) => entry.replace(/\(.*\)$/s, '');

/** The tools of a parent that this agent has, in the parent's order. */
export function filterTools<T extends { readonly name: string }>(
  parent: readonly T[],
  { kind, tools, disallowedTools = [], plans = false }: FilterRequest,
): T[] {
  const never = new Set(NEVER[kind]);
  if (kind === 'teammate' && !plans) never.add('ExitPlanMode');
  const denied = new Set(disallowedTools.filter((entry) => !entry.includes('(')));
  const named = tools === undefined || tools.includes('*') ? undefined : new Set(tools.map(bareName));
  // A member that cannot report to its team is no member: coordination comes with the role.
  const always = new Set(
    kind === 'teammate' ? ['SendMessage', 'TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate', 'ExitPlanMode'] : [],
  );
  return parent.filter(
    ({ name }) => !never.has(name) && !denied.has(name) && (named === undefined || named.has(name) || always.has(name)),
  );
}
