import { endOfStop, stopOf } from '../../headless/exitCode.js';
import type { RunEnd } from '../../headless/result.js';
import { endMarked } from '../../host/children.js';
import { agentIdOf, LEAD } from '../../team/member.js';
import type { World } from '../services.js';
import type { StartedTeam } from '../start/startTeam.js';

/**
 * A start, or how the run ends that was stopped during it. What the start waits for, a hook for one, is ended: then it
 * fails, and undoes itself.
 */
export async function startedOrStopped(
  { clock, home }: World,
  team: string,
  starting: Promise<StartedTeam>,
  over: AbortSignal,
): Promise<StartedTeam | RunEnd> {
  const mark = { member: agentIdOf(LEAD, team), home: home.root };
  const endChildren = () => void endMarked(mark, clock).catch(() => {});
  if (over.aborted) endChildren();
  else over.addEventListener('abort', endChildren);
  try {
    return await starting;
  } catch (error) {
    if (!over.aborted) throw error;
    return endOfStop(stopOf(over.reason), '');
  } finally {
    over.removeEventListener('abort', endChildren);
  }
}
