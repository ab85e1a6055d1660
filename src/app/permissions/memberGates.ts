import type { AgentState, Gate } from '../../agent/ports.js';
import type { Home } from '../../config/paths.js';
import type { AgentDefinition } from '../../definitions/agent.js';
import type { JudgeContext } from '../../permissions/judge.js';
import type { Launch } from '../../team/start/launch.js';
import type { HookRules } from '../hooks/hookRules.js';
import type { Knowledge } from '../knowledge/knowledge.js';
import type { SessionParts } from '../session/sessionGround.js';
import { createWatchedGate } from '../telemetry/watched.js';
import { judgeContext } from './judgeContext.js';
import type { Judgement } from './judgement.js';

export interface MemberGatesOptions {
  readonly home: Pick<Home, 'root'>;
  readonly launch: Launch;
  readonly parts: Pick<SessionParts, 'settings' | 'team' | 'rulesChanged' | 'asker' | 'telemetry'>;
  readonly knowledge: Pick<Knowledge, 'widened'>;
  readonly judgement: Pick<Judgement, 'autoFor'>;
  /** Those that hooks have added to the session. */
  readonly hookRules: Pick<HookRules, 'widened'>;
  /** The folders that worktrees have opened to agents of this session. */
  readonly opened: ReadonlySet<string>;
}

/** What a member and its sub-agents may do. */
export interface MemberGates {
  /** What one agent's calls are judged by at this moment, as the files said when they were last looked at. */
  contextOf(state: AgentState, agent: AgentDefinition | undefined, cwd?: string): JudgeContext;
  /** Judges an agent's calls. `cwd` is where it works, the member's folder where it is absent. */
  gateFor(state: AgentState, agent: AgentDefinition | undefined, cwd?: string): Gate;
}

export function createMemberGates(options: MemberGatesOptions): MemberGates {
  const { home, launch, parts, knowledge, judgement, hookRules, opened } = options;
  const contextOf: MemberGates['contextOf'] = (state, agent, cwd = launch.cwd) =>
    judgeContext({ ...launch, cwd, settings: parts.settings() }, state, parts.team(), agent, home.root);
  return {
    contextOf,
    gateFor: (state, agent, cwd) =>
      createWatchedGate(parts.telemetry, {
        async context() {
          // What a person changes counts from the next call on.
          await parts.rulesChanged();
          const own = contextOf(state, agent, cwd);
          const context = hookRules.widened(own);
          const all = knowledge.widened({ ...context, folders: [...context.folders, ...opened] }, state, agent);
          return parts.settings().onlyManagedRules ? { ...all, rules: { ...all.rules, allow: own.rules.allow } } : all;
        },
        // There is no rule that a person could add.
        ask: (question, signal) =>
          parts.asker.ask(parts.settings().onlyManagedRules ? { ...question, suggestions: [] } : question, signal),
        auto: judgement.autoFor(state),
      }),
  };
}
