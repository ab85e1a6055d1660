import type { Clock } from '../../host/clock.js';
import { isAlive, type ProcessRef, processorTime } from '../../host/processes.js';
import { LEAD } from '../member.js';
import type { TeamPlace } from '../messages.js';
import { openTeamFile, type TeamFile } from '../teamFile.js';
import { createPatience } from './patience.js';
import { READY_MS } from './ready.js';

const LOOK_MS = 50;
/** Longer than a starter waits for somebody who does nothing. */
const WAIT_MS = READY_MS + 5000;

/** How long to wait for whoever is starting members: one that was stopped in its middle keeps nobody. */
export function patienceWithStarters(clock: Clock, starters: () => Iterable<ProcessRef>): () => Promise<boolean> {
  const effort = async () => {
    let sum = 0;
    for (const { pid } of starters()) sum += (await processorTime(pid)) ?? 0;
    return sum;
  };
  // It looks all the time how far they are.
  return createPatience({ clock, forMs: WAIT_MS, effort, leastMs: 1 });
}

/**
 * Resolves when nobody who lives is starting a teammate any more. A start is all or nothing: what is asked of a model
 * before its end may be for a team that is undone. @throws when `signal` is aborted.
 */
export async function untilStarted({ paths, clock }: TeamPlace, signal: AbortSignal): Promise<void> {
  const file = openTeamFile(paths.config);
  let starters: readonly ProcessRef[] = [];
  const isOver = patienceWithStarters(clock, () => starters);
  while (!(await isOver())) {
    const team = await file.read();
    starters = team ? await startersOf(team) : [];
    if (starters.length === 0) return;
    await clock.sleep(LOOK_MS, signal);
  }
}

async function startersOf({ members }: TeamFile): Promise<ProcessRef[]> {
  const found = new Map<number, ProcessRef>();
  for (const { name, reservedBy } of members)
    if (name !== LEAD && reservedBy && (await isAlive(reservedBy))) found.set(reservedBy.pid, reservedBy);
  return [...found.values()];
}
