import type { AgentState } from '../../agent/ports.js';
import type { Skill } from '../../definitions/skill/skill.js';
import type { JudgeContext } from '../../permissions/judge.js';
import { parseRule, type Rule } from '../../permissions/rule.js';

/** What skills allow the agents of a session that have loaded them. */
export interface Grants {
  add(state: AgentState, skill: Pick<Skill, 'folder' | 'allowedTools'>): void;
  widened(context: JudgeContext, state: AgentState): JudgeContext;
  /** What was allowed ends with the turn; folders stay readable, for what a skill says is still in the conversation. */
  turnOver(state: AgentState): void;
}

export function createGrants(): Grants {
  const byAgent = new WeakMap<AgentState, { folders: Set<string>; rules: Rule[] }>();
  return {
    add(state, { folder, allowedTools }) {
      const own = byAgent.get(state) ?? { folders: new Set(), rules: [] };
      if (folder !== undefined) own.folders.add(folder);
      own.rules.push(...allowedTools.map((rule) => parseRule(rule)));
      byAgent.set(state, own);
    },
    widened(context, state) {
      const own = byAgent.get(state);
      if (!own) return context;
      return {
        ...context,
        rules: { ...context.rules, allow: [...context.rules.allow, ...own.rules] },
        allowedPaths: [...context.allowedPaths, ...[...own.folders].map((path) => ({ path, toolName: 'Read' }))],
      };
    },
    turnOver(state) {
      const own = byAgent.get(state);
      if (own) own.rules = [];
    },
  };
}
