import { endOfStop, stopOf } from '../../headless/exitCode.js';
import type { RunEnd } from '../../headless/result.js';
import { endMarked, hurried } from '../../host/children.js';
import { leftBehind } from '../../team/start/undone.js';
import { leadMark } from '../end/down.js';
import type { World } from '../services.js';
import type { StartedTeam } from '../start/startTeam.js';

/**
 * A start, or how the run ends that was stopped during it. What the start waits for, a hook for one, is ended: then it
 * fails, and undoes itself.
 */
export async function startedOrStopped(
  world: World,
  team: string,
  starting: Promise<StartedTeam>,
  { over, hurry }: { readonly over: AbortSignal; readonly hurry: AbortSignal | undefined },
): Promise<StartedTeam | RunEnd> {
  const { clock } = world;
  const mark = leadMark(world, { name: team });
  const endChildren = () => void endMarked(mark, clock).catch(() => {});
  if (over.aborted) endChildren();
  else over.addEventListener('abort', endChildren);
  try {
    return await hurried(starting, { marks: [mark], hurry, clock });
  } catch (error) {
    if (!over.aborted) throw error;
    const end = endOfStop(stopOf(over.reason), '');
    return { ...end, errors: [...end.errors, ...leftBehind(error)] };
  } finally {
    over.removeEventListener('abort', endChildren);
  }
}
