import { isAlive } from '../host/processes.js';
import { LEAD } from './member.js';
import type { TeamPlace } from './messages.js';
import { READY_MS } from './start/ready.js';
import { openTeamFile, type TeamFile } from './teamFile.js';

const LOOK_MS = 50;
/** A start takes no longer; one that was stopped in its middle keeps nobody. */
const WAIT_MS = READY_MS + 5000;

/**
 * Resolves when nobody who lives is starting a teammate any more. A start is all or nothing: what is asked of a model
 * before its end may be for a team that is undone. @throws when `signal` is aborted.
 */
export async function untilStarted({ paths, clock }: TeamPlace, signal: AbortSignal): Promise<void> {
  const file = openTeamFile(paths.config);
  const until = clock.monotonic() + WAIT_MS;
  while (clock.monotonic() < until) {
    const team = await file.read();
    if (!team || !(await isBeingStarted(team))) return;
    await clock.sleep(LOOK_MS, signal);
  }
}

async function isBeingStarted({ members }: TeamFile): Promise<boolean> {
  for (const { name, reservedBy } of members)
    if (name !== LEAD && reservedBy && (await isAlive(reservedBy))) return true;
  return false;
}
