import { openEventLog, type TeamEvent } from '../../team/eventLog.js';
import { isAbort } from '../../util/errors.js';
import { placeOf, type World } from '../services.js';
import { chooseTeam } from './teams.js';

/** A team's events behind the cursor `since`. */
export async function teamEvents(world: World, team: string | undefined, since: number): Promise<TeamEvent[]> {
  const file = await chooseTeam(world, team);
  return openEventLog(placeOf(world, file.name).paths.events, world.clock).read(since);
}

/** The same, then each event as it happens, until `signal` is aborted. */
export async function* followEvents(
  world: World,
  team: string | undefined,
  since: number,
  signal: AbortSignal,
): AsyncGenerator<TeamEvent, void> {
  const file = await chooseTeam(world, team);
  const next = openEventLog(placeOf(world, file.name).paths.events, world.clock).follow(since);
  for (;;) {
    yield* await next();
    try {
      await world.clock.sleep(300, signal);
    } catch (error) {
      if (isAbort(error) || signal.aborted) return;
      throw error;
    }
  }
}
