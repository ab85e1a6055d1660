import { openEventLog, type TeamEvent } from '../../team/eventLog.js';
import { isAbort } from '../../util/errors.js';
import type { World } from '../services.js';
import { chooseAnyTeam, pathsOfAny } from './anyTeam.js';

/** A team's events behind the cursor `since`, an archived one's too. */
export async function teamEvents(world: World, team: string | undefined, since: number): Promise<TeamEvent[]> {
  const found = await chooseAnyTeam(world, team);
  return openEventLog(pathsOfAny(world, found).events, world.clock).read(since);
}

/** The same, then each event as it happens, until `signal` is aborted; an archived team has no more. */
export async function* followEvents(
  world: World,
  team: string | undefined,
  since: number,
  signal: AbortSignal,
): AsyncGenerator<TeamEvent, void> {
  const found = await chooseAnyTeam(world, team);
  const next = openEventLog(pathsOfAny(world, found).events, world.clock).follow(since);
  for (;;) {
    yield* await next();
    if (found.archived) return;
    try {
      await world.clock.sleep(300, signal);
    } catch (error) {
      if (isAbort(error) || signal.aborted) return;
      throw error;
    }
  }
}
