import type { Arrivals } from '../../agent/arrivals.js';
import type { TurnEnd } from '../../agent/events.js';
import { endOfStop, endOfTurn, stopOf } from '../../headless/exitCode.js';
import { BUSY, verdict } from '../../headless/quiet.js';
import type { RunEnd } from '../../headless/result.js';
import { teamLine } from '../../headless/stream.js';
import { openEventLog } from '../../team/eventLog.js';
import { ExitCode, isAbort } from '../../util/errors.js';
import { isTakenDown } from '../members/leadProcess.js';
import { placeOf, type World } from '../services.js';
import { type AskedAnswer, STILL_MISSING } from './askedAnswer.js';
import { createWorkLook, takeSnapshot } from './snapshot.js';

/** Two looks this far apart must be equal. */
const LOOK_MS = 200;

export interface WatchedRun {
  readonly world: World;
  readonly team: string;
  /** The lead's. */
  readonly arrivals: Pick<Arrivals, 'add' | 'wakes'>;
  readonly sessionId: string;
  readonly lastEnd: () => TurnEnd | undefined;
  /** The cursor behind which its events begin. */
  readonly since: number;
  /** A line of `stream-json`. */
  readonly line: (line: object) => void;
  readonly asked?: AskedAnswer | undefined;
  /** Aborted with a `Stop`. */
  readonly over: AbortSignal;
}

/** Looks at a team until its run is over, and says how it ended. */
export async function watchRun({
  world,
  team,
  arrivals,
  sessionId,
  lastEnd,
  since,
  line,
  asked,
  over,
}: WatchedRun): Promise<RunEnd> {
  const { clock, home } = world;
  const place = placeOf(world, team);
  const news = openEventLog(place.paths.events, clock).follow(since);
  const isAtWork = createWorkLook(place);
  const outOfTurns = new Set<string>();
  let before: Awaited<ReturnType<typeof takeSnapshot>> | undefined;
  let nudged: string | undefined;
  let missedAt: TurnEnd | undefined;

  const tell = (text: string) => {
    // What it does about it is to be seen from here on.
    before = undefined;
    arrivals.add({ text, from: 'lead', mail: [], wakes: true });
  };

  for (;;) {
    for (const event of await news()) {
      if (event.type === 'idle' && event.member !== undefined)
        outOfTurns[event['reason'] === 'max-turns' ? 'add' : 'delete'](event.member);
      const object = teamLine(event, sessionId);
      if (object) line(object);
    }
    const turn = lastEnd();
    const text = turn?.text ?? '';
    const failed = asked?.answer.failure(text) ?? (turn && endOfTurn(turn));
    if (failed) return failed;
    const now = (await isAtWork()) ? undefined : await takeSnapshot(place, home);
    const seen = now ? verdict(before, now) : BUSY;
    // Whoever takes the team down ends this process too: that its members are at rest by then is no success.
    const state = seen.kind !== 'busy' && (await isTakenDown(place.paths.config)) ? BUSY : seen;
    before = now;
    if (state.kind === 'quiet' && !arrivals.wakes()) {
      if (outOfTurns.size > 0) return stoppedByTurns([...outOfTurns], text);
      if (turn?.reason === 'aborted') return interruptedTurn(text);
      if (!asked || asked.answer.given()) return { subtype: 'success', exitCode: ExitCode.ok, text, errors: [] };
      if (missedAt !== turn) {
        missedAt = turn;
        asked.answer.miss([`the lead ended its turn without it`]);
        if (!asked.answer.failure(text)) tell(STILL_MISSING);
      }
    }
    if (state.kind === 'stuck') {
      const open = state.open.map((what) => `- ${what}`).join('\n');
      if (nudged === state.signature) return unfinished(open, text);
      nudged = state.signature;
      tell(
        `Nobody works any more, but this is open:\n${open}\nSee to it, or set right what is not true any more. Without a change the run ends as unfinished.`,
      );
    }
    try {
      await clock.sleep(LOOK_MS, over);
    } catch (error) {
      if (!isAbort(error) && !over.aborted) throw error;
      return endOfStop(stopOf(over.reason), lastEnd()?.text ?? '');
    }
  }
}

function unfinished(open: string, text: string): RunEnd {
  return {
    subtype: 'error_teammates_unfinished',
    exitCode: ExitCode.unfinished,
    text,
    errors: [`Nobody works any more, but there is something open:\n${open}`],
  };
}

function interruptedTurn(text: string): RunEnd {
  return {
    subtype: 'error_during_execution',
    exitCode: ExitCode.failed,
    text,
    errors: ["The lead's turn was interrupted, and it was told nothing more."],
  };
}

function stoppedByTurns(names: readonly string[], text: string): RunEnd {
  return {
    subtype: 'error_max_turns',
    exitCode: ExitCode.limit,
    text,
    errors: [`${names.join(', ')} had all the turns that an agent may have (--max-turns), and did not come to an end.`],
  };
}
