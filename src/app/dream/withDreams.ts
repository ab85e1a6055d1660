import type { TaskRegistry } from '../../agent/background/background.js';
import type { AgentRun } from '../../agent/runAgent.js';
import { withSpent } from '../../member/spent.js';
import type { Launch } from '../../team/start/launch.js';
import type { Ground } from '../session/sessionGround.js';
import { subagentSettings } from '../subagents/subagentSettings.js';
import type { DreamOptions } from './dreams.js';

export interface WithDreamsOptions extends Pick<DreamOptions, 'world' | 'client' | 'session'> {
  readonly launch: Launch;
  readonly ground: Ground;
}

/** A lead that dreams: behind each turn, beside what comes next, and never two at once. */
export function withDreams(
  run: AgentRun,
  { world, launch, client, session, ground }: WithDreamsOptions,
  registry: TaskRegistry,
): AgentRun {
  const { record, events } = ground.parts;
  const over = new AbortController();
  let dreaming: Promise<void> | undefined;
  const dream = async (begun: () => void) => {
    const { dreamOnce } = await import('./dreams.js');
    await dreamOnce(
      {
        ...{ world, launch, client, registry, session },
        idleMs: subagentSettings(launch).idleMs,
        spent: (response) => record.change(withSpent(record.current(), response)),
        begun,
      },
      over.signal,
    );
  };
  const problem = (error: unknown) =>
    events.append('dream_problem', { member: launch.member, problem: String(error) }).then(
      () => {},
      () => {},
    );
  return {
    ...run,
    async next(end) {
      // Whether it begins is known before anybody asks whether the team is done.
      if (end?.reason === 'done' && !dreaming)
        await new Promise<void>((begun) => {
          dreaming = dream(begun)
            .catch(problem)
            .finally(() => {
              dreaming = undefined;
              begun();
            });
        });
      return run.next?.(end);
    },
    // Undone in reverse order: it has ended before whatever it uses goes.
    cleanups: [
      ...run.cleanups,
      async () => {
        over.abort();
        await dreaming;
      },
    ],
  };
}
