import { fileURLToPath } from 'node:url';
import { environment } from '../config/env.js';
import { type Home, homeAt, homePath } from '../config/paths.js';
import { type Clock, isoTime, systemClock } from '../host/clock.js';
import { type Ids, systemIds } from '../host/ids.js';
import { type Run, run } from '../host/run.js';
import { createPoller, type Poller } from '../mailbox/poller.js';
import { createPulse, type Pulse } from '../member/pulse.js';
import type { TeamPlace } from '../team/messages.js';
import { messageOf } from '../util/errors.js';

/** The outside world, as every use case is given it. */
export interface World {
  readonly home: Home;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly run: Run;
  readonly environment: () => Record<string, string>;
  /** What a pane runs: node and this program. */
  readonly program: readonly string[];
  /** Where the shipped templates are. */
  readonly shippedTemplates: string;
}

// The bundle lies in dist/, this file in src/app/: the package's root is found from either.
const root = new URL(import.meta.url.includes('/dist/') ? '../' : '../../', import.meta.url);

export function theWorld(): World {
  return {
    home: homeAt(homePath()),
    clock: systemClock,
    ids: systemIds,
    run,
    environment,
    program: [process.execPath, fileURLToPath(new URL('bin/troupe.js', root))],
    shippedTemplates: fileURLToPath(new URL('templates', root)),
  };
}

export function placeOf({ home, clock, ids }: World, team: string): TeamPlace {
  return { paths: home.team(team), clock, ids };
}

/** ISO 8601. */
export function isoNow({ clock }: Pick<World, 'clock'>): string {
  return isoTime(clock);
}

/** One poller and one timer for all members of a process. */
export interface Engine {
  readonly poller: Poller;
  readonly pulse: Pulse;
}

/** Starts both; they run until `signal` is aborted. */
export function startEngine(clock: Clock, signal: AbortSignal, onError: (error: unknown) => void): Engine {
  const told = new Set<string>();
  // It tries again at every tick, and fails in the same words.
  const onProblem = (member: string, error: unknown) => {
    const problem = `The inbox of ${member} cannot be read: ${messageOf(error)}`;
    if (!told.has(problem)) onError(new Error(problem, { cause: error }));
    told.add(problem);
  };
  const poller = createPoller(clock, { everyMs: 1000, watch: true, onProblem });
  const pulse = createPulse(clock, onError);
  poller.run(signal).catch(onError);
  pulse.run(signal).catch(onError);
  return { poller, pulse };
}
