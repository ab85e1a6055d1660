import { builtInAgents } from '../../definitions/builtin/all.js';
import type { MessageParam } from '../../model/types.js';
import { COLORS } from '../../util/colors.js';

// Only words of the program's own get into an event: whatever a person, a project or a server named may tell too much.
const TYPES = new Set([
  'team-lead',
  ...builtInAgents({}, () => ({ documentation: [], agents: [], skills: [], mcpServers: [], settings: [] })).map(
    ({ agentType }) => agentType,
  ),
  ...builtInAgents({ coordinator: true }).map(({ agentType }) => agentType),
]);
const TOOLS = new Set(
  (
    'Agent AskUserQuestion Bash Edit EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree Glob Grep NotebookEdit Read ' +
    'SendMessage Skill StructuredOutput TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TeamCreate TeamDelete ' +
    'TodoWrite ToolSearch WebFetch WebSearch Write'
  ).split(' '),
);
const MODELS = /^claude-(opus|sonnet|haiku|fable)-[\d-]+$/;

export const typeWord = (type: string, isBuiltIn = TYPES.has(type)) => (isBuiltIn && TYPES.has(type) ? type : 'custom');
export const toolWord = (name: string) => (TOOLS.has(name) ? name : name.startsWith('mcp__') ? 'mcp' : 'other');
export const modelWord = (id: string) => (MODELS.test(id) ? id : 'custom');
export const colorWord = (color: string | undefined) => COLORS.find((known) => known === color);

/** Of all texts in it. */
export function charactersOf({ content }: Pick<MessageParam, 'content'>): number {
  if (typeof content === 'string') return content.length;
  return content.reduce((sum, block) => sum + (block.type === 'text' ? block.text.length : 0), 0);
}
