import { onEndSignals } from '../../host/signals.js';
import { chooseTeam, refuseMembers } from '../look/teams.js';
import type { World } from '../services.js';
import { recordedBackend } from '../start/backends.js';
import { type DownResult, downTeam } from './down.js';

/** `troupe down`, from any shell, a pane of the team itself included. */
export async function takeDown(
  world: World,
  given: string | undefined,
  { force, purge, progress }: { force: boolean; purge: boolean; progress: (line: string) => void },
): Promise<DownResult> {
  refuseMembers('down');
  const team = await chooseTeam(world, given);
  const hurry = new AbortController();
  // The terminal that it was said in may be one of the panes that go. A person who says more has no time.
  const restore = onEndSignals((signal) => signal !== 'SIGHUP' && hurry.abort());
  try {
    const panes = recordedBackend(world, team);
    return await downTeam({ world, team: team.name, panes, force, purge, hurry: hurry.signal, progress });
  } finally {
    restore();
  }
}
