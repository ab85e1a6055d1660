import type { AgentEvent } from '../../agent/events.js';
import { createTeammate } from '../../member/teammate.js';
import { leadModeOf } from '../../team/leadMode.js';
import type { Launch } from '../../team/start/launch.js';
import { changeMember, type Member, openTeamFile } from '../../team/teamFile.js';
import { isAbort } from '../../util/errors.js';
import type { Engine, World } from '../services.js';
import { openSession } from '../session/memberSession.js';
import { createMessagePort } from '../tools/messagePort.js';
import { createLeadLook } from './leadAlive.js';
import { reopenPlan, retellPlanAnswer } from './reopen.js';
import { unlessTeamGone } from './teamGone.js';

/** Where a teammate shows what it does. */
export interface TeammateScreen {
  open(launch: Launch): void;
  event(event: AgentEvent): void;
  /** What it asks a person for is decided at the lead; here it is only said that it waits. */
  waits(description: string): void;
  say(line: string): void;
}

export interface TeammateOptions {
  readonly world: World;
  readonly engine: Engine;
  readonly launch: Launch;
  readonly screen: TeammateScreen;
  /** Ends it hard. `reason` of the signal names the signal that asked for it, where one did. */
  readonly signal: AbortSignal;
}

/** Runs a teammate to its end. Resolves with its exit code. */
export async function runTeammate({ world, engine, launch, screen, signal }: TeammateOptions): Promise<number> {
  screen.open(launch);
  const end = new AbortController();
  const hard = AbortSignal.any([signal, end.signal]);
  const session = await openSession({
    world,
    engine,
    launch,
    signal: hard,
    onEvent: (event) => screen.event(event),
    onProblem: (problem) => screen.say(problem),
    announce: async ({ description = '' }) => screen.waits(description),
    async part({ place, self, state, tasks, requests, events, asker, record, team, rulesChanged }) {
      const openPlan = await reopenPlan(requests, launch);
      await retellPlanAnswer(place, requests, launch);
      const own = createTeammate({
        name: launch.member,
        generation: launch.generation,
        color: launch.color,
        place,
        state,
        modeAfterPlan: launch.modeAfterPlan,
        async leadMode() {
          await rulesChanged();
          return leadModeOf(team()) ?? launch.settings.leadMode;
        },
        tasks,
        requests,
        events,
        checkAnswers: () => asker.check(),
        withdrawQuestions: (because) => asker.withdraw(because),
        rulesChanged,
        async modeChanged(mode) {
          const change = (member: Member) => ({ ...member, mode, planModeRequired: false });
          await openTeamFile(place.paths.config).update((team) => changeMember(team, launch.member, change));
        },
        endNow: () => end.abort(),
        openPlan: openPlan?.id,
        leadAlive: createLeadLook(place, record),
      });
      return {
        role: own.role,
        messages: createMessagePort({ place, sender: self, teammate: own }),
        submitPlan: (plan) => own.submitPlan(plan),
      };
    },
  });
  const askAgain = () => session.parts.asker.check();
  engine.pulse.every(1000, askAgain, hard);
  try {
    await session.member.run();
  } catch (error) {
    if (!isAbort(error) || !hard.aborted) {
      // Its process may live on with other members in it: only its record can say that it is gone.
      await session.close({ code: 1, signal: null }).catch(() => {});
      await unlessTeamGone(world, launch.team, screen.say, error);
      return 0;
    }
  }
  const ended = signal.aborted && typeof signal.reason === 'string' ? signal.reason : null;
  const code = ended === 'SIGTERM' ? 143 : ended === 'SIGINT' ? 130 : 0;
  await session.close({ code, signal: ended }).catch((error) => unlessTeamGone(world, launch.team, screen.say, error));
  return code;
}
