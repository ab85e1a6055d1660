import type { Clock } from '../../host/clock.js';
import { ExitCode, messageOf, UserError } from '../../util/errors.js';
import { type Act, type Board, openBoard } from './board.js';
import type { Key } from './key.js';
import { readMember } from './lists.js';
import { createPace } from './pace.js';
import { openScreen, type ScreenLook, type ScreenStreams } from './screen.js';
import type { Snapshots } from './snapshot.js';
import { step, withNotice, withSize, withSnapshot } from './state.js';
import { frameOf } from './views/frame.js';

export interface DashboardOptions {
  readonly snapshots: Snapshots;
  /** Does what a person wants done, as the command for it does; returns a line about it. */
  readonly carryOut: (act: Act) => Promise<string>;
  /** Hints that something has changed, until the signal is aborted. */
  readonly watch: (onChange: () => void, signal: AbortSignal) => void;
  readonly look: ScreenLook;
  readonly clock: Clock;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Whose transcript is shown first. */
  readonly member?: string | undefined;
  readonly streams?: ScreenStreams | undefined;
}

export interface DashboardEnd {
  /** How much of what was asked for is not done yet. */
  readonly unfinished: number;
  /** A member's own tool wanted what only a person may. */
  readonly refusal?: UserError | undefined;
}

/** Shows a team in the whole terminal until the person leaves. */
export async function showDashboard(options: DashboardOptions): Promise<DashboardEnd> {
  const { snapshots, carryOut, watch, look, clock, signal, member, streams } = options;
  const first = await snapshots.read(member);
  const over = new AbortController();
  const end = () => over.abort();
  const pace = createPace(clock, over.signal);
  let isToDraw = false;
  let unfinished = 0;
  let refusal: UserError | undefined;
  let fault: { readonly error: unknown } | undefined;

  /** A fault of ours gives the terminal back before it is told. */
  const guarded = (work: () => void) => {
    try {
      work();
    } catch (error) {
      fault ??= { error };
      end();
    }
  };
  const show = (next: Board) => {
    board = next;
    if (isToDraw) return;
    isToDraw = true;
    // Once for all the keys that came in one piece, however many.
    queueMicrotask(() => {
      isToDraw = false;
      guarded(() => screen.draw(frameOf(board)));
    });
  };
  const say = (text: string, isProblem = false) => show(withNotice(board, { text, isProblem }));
  const act = async (wanted: Act) => {
    unfinished++;
    say('…');
    try {
      say(await carryOut(wanted));
    } catch (error) {
      if (error instanceof UserError && error.exitCode === ExitCode.refused) refusal = error;
      say(messageOf(error), true);
    } finally {
      unfinished--;
      pace.now();
    }
  };
  const pressed = (key: Key) => {
    if (key.name === 'ctrl-z') return screen.suspend();
    const before = readMember(board);
    const { board: next, effect } = step(board, key);
    show(next);
    if (effect?.type === 'leave') end();
    if (effect?.type === 'act') act(effect.act).catch((error) => guarded(() => raise(error)));
    if (readMember(next) !== before) pace.now();
  };
  const refresh = async () => {
    const snapshot = await snapshots.read(readMember(board));
    guarded(() => show(withSnapshot(board, snapshot)));
  };

  const screen = openScreen(
    {
      onKey: (key) => guarded(() => pressed(key)),
      onResize: () => guarded(() => show(withSize(board, screen.size()))),
      onGone: end,
    },
    look,
    clock,
    streams,
  );
  let board = openBoard(first, screen.size(), member);
  signal.addEventListener('abort', end, { once: true });
  try {
    if (signal.aborted) end();
    watch(pace.news, over.signal);
    show(board);
    while (!over.signal.aborted) {
      await pace.next();
      if (over.signal.aborted) break;
      await refresh().catch((error: unknown) => say(messageOf(error), true));
    }
  } finally {
    signal.removeEventListener('abort', end);
    end();
    screen.close();
  }
  if (fault) throw fault.error;
  return { unfinished, refusal };
}

function raise(error: unknown): never {
  throw error;
}
