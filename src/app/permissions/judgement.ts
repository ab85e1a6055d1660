import { type AutoMode, createAutoMode } from '../../agent/autoMode.js';
import type { Spending } from '../../agent/events.js';
import type { AgentState } from '../../agent/ports.js';
import type { Clock } from '../../host/clock.js';
import type { ModelClient } from '../../model/types.js';
import type { Launch, TeamSettings } from '../../team/start/launch.js';
import type { SessionParts } from '../session/sessionGround.js';
import type { SubagentsDeps } from '../subagents/subagents.js';

export interface JudgementOptions {
  readonly client: ModelClient;
  readonly clock: Clock;
  readonly launch: Launch;
  readonly parts: Pick<SessionParts, 'events' | 'telemetry'>;
  /** As they are at this moment. */
  readonly settings: () => TeamSettings;
  readonly spent: (response: Spending) => Promise<void>;
}

/** What a small model judges for one session in mode auto. Nothing is loaded before there is something to judge. */
export interface Judgement {
  /** For one agent: each counts its own denials. */
  autoFor(state: AgentState): AutoMode;
  readonly handoff: NonNullable<SubagentsDeps['classify']>;
}

export function createJudgement({ client, clock, launch, parts, settings, spent }: JudgementOptions): Judgement {
  const classifier = async () => {
    const { createClassifier } = await import('./classifier.js');
    return createClassifier({
      client,
      clock,
      userId: `troupe:${launch.team}:${launch.member}`,
      rules: () => settings().autoMode?.rules ?? [],
      environment: launch.environment,
      spent,
    });
  };
  return {
    autoFor: (state) =>
      createAutoMode({
        async judgeCall(question, signal) {
          const { createCallJudge } = await import('./autoMode.js');
          return createCallJudge(await classifier(), () => state.cwd)(question, signal);
        },
        hasPerson: launch.settings.permissionTimeoutMs > 0,
        onDecision(decision) {
          parts.telemetry?.happened({ name: 'auto_mode_decision', decision });
          parts.events.append('auto_mode', { member: launch.member, decision }).catch(() => {});
        },
      }),
    async handoff(agent, history, signal) {
      if (agent.mode !== 'auto') return undefined;
      const { createHandoff } = await import('../subagents/handoff.js');
      return createHandoff(await classifier())(agent, history, signal);
    },
  };
}
