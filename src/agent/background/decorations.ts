import type { Clock, within } from '../../host/clock.js';
import { messageOf } from '../../util/errors.js';
import type { NoticeFacts } from './notices.js';

const DECORATION_MS = 10_000;

/** What is added to a notice when the state has changed already: each may hang, and has its own time. */
export interface Decorations {
  /** Where the work was kept, or nothing. */
  readonly worktree?: (signal: AbortSignal) => Promise<NoticeFacts['worktree']>;
  /** A warning about what was done, or nothing. */
  readonly classify?: (signal: AbortSignal) => Promise<string | undefined>;
}

/** What they came to, and what of it is missing. */
export async function decorated(
  { worktree, classify }: Decorations,
  deps: { readonly clock: Clock; readonly within: typeof within },
): Promise<NoticeFacts> {
  const missing: string[] = [];
  const within10 = async <T>(what: string, work: ((signal: AbortSignal) => Promise<T>) | undefined) => {
    if (!work) return undefined;
    const done = await deps
      .within(deps.clock, DECORATION_MS, async (signal) => ({ value: await work(signal) }))
      .catch((error: unknown) => {
        missing.push(`${what} (${messageOf(error)}).`);
        return { value: undefined };
      });
    if (!done) missing.push(`${what} within ${DECORATION_MS / 1000} s.`);
    return done?.value;
  };
  const [kept, warning] = await Promise.all([
    within10('Whether its worktree holds anything could not be told', worktree),
    within10('What it did was not judged, so look at it yourself: the classifier did not answer', classify),
  ]);
  return { worktree: kept, warning, missing };
}
