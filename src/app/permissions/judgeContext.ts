import type { AgentState } from '../../agent/ports.js';
import { userHome } from '../../config/env.js';
import type { AgentDefinition } from '../../definitions/agent.js';
import type { JudgeContext, Rules } from '../../permissions/judge.js';
import { narrowed, permitted } from '../../permissions/mode.js';
import { parseRule, type Rule } from '../../permissions/rule.js';
import { leadModeOf } from '../../team/leadMode.js';
import type { Launch } from '../../team/start/launch.js';
import type { TeamFile } from '../../team/teamFile.js';

/** What a call is judged by at this moment: the team's settings, the rules added since, and the agent's own. */
export function judgeContext(
  { cwd, settings, role }: Launch,
  state: AgentState,
  team: TeamFile,
  definition: AgentDefinition | undefined,
  home: string,
): JudgeContext {
  const teamRules = (behavior: 'allow' | 'ask' | 'deny') =>
    (team.teamRules ?? []).filter((rule) => rule.behavior === behavior).map(({ rule }) => rule);
  // A server that it may not use is more than the tools that it does not have.
  const isRule = (entry: string) => entry.includes('(') || entry.startsWith('mcp__');
  const disallowed = (definition?.disallowedTools ?? []).filter(isRule);
  const rules: Rules = {
    allow: parsed([...settings.allow, ...(settings.onlyManagedRules ? [] : teamRules('allow'))]),
    ask: parsed([...settings.ask, ...teamRules('ask')]),
    deny: parsed([...settings.deny, ...teamRules('deny'), ...disallowed]),
  };
  return {
    // However wide its own is: a person who narrows the lead's narrows all, until it is wide again.
    mode: permitted(
      role === 'lead' ? state.mode : narrowed(state.mode, leadModeOf(team) ?? state.mode),
      settings.disabledModes,
    ),
    rules,
    cwd: state.cwd,
    folders: [cwd, ...settings.folders],
    protectedRoots: [home],
    allowedPaths: [
      ...(team.teamAllowedPaths ?? []),
      ...(definition?.mayRead ?? []).map((path) => ({ path, toolName: 'Read' })),
    ],
    home: userHome(),
  };
}

const parsed = (rules: readonly string[]): Rule[] => rules.map((rule) => parseRule(rule));
