import { type Board, type Notice, PANES, type Pane, type Size, type Step, type Thing } from './board.js';
import { asking, begun } from './decisions.js';
import type { Key } from './key.js';
import { chosenMember, thingIn, waitingChosen } from './lists.js';
import { moved } from './moves.js';
import { overlayStep } from './overlayStep.js';
import type { TeamSnapshot } from './snapshot.js';
import { isTooSmall, layoutOf } from './views/layout.js';
import { columnsIn, mostScroll, transcriptRows } from './views/transcript.js';

const stay = (board: Board): Step => ({ board });

/** What a key press makes of the dashboard. */
export function step(before: Board, key: Key): Step {
  if (key.name === 'ctrl-c') return { board: before, effect: { type: 'leave' } };
  if (isTooSmall(before.size)) return key.name === 'q' ? { board: before, effect: { type: 'leave' } } : stay(before);
  const board = { ...before, notice: undefined };
  return board.overlay ? overlayStep(board, board.overlay, key) : paneStep(board, key);
}

/** The same view of a newer team. Who has scrolled back goes on seeing the same. */
export function withSnapshot(board: Board, snapshot: TeamSnapshot): Board {
  const next = { ...board, snapshot };
  if (board.scroll === 0 || snapshot.transcript === board.snapshot.transcript) return next;
  const rect = layoutOf(next).panes.transcript;
  if (!rect || snapshot.transcript.path !== board.snapshot.transcript.path) return { ...next, scroll: 0 };
  const more = transcriptRows(next, columnsIn(rect)).length - transcriptRows(board, columnsIn(rect)).length;
  return { ...next, scroll: Math.min(mostScroll(next, rect), Math.max(0, board.scroll + more)) };
}

export function withSize(board: Board, size: Size): Board {
  return { ...board, size };
}

export function withNotice(board: Board, notice: Notice): Board {
  return { ...board, notice };
}

function paneStep(board: Board, key: Key): Step {
  switch (key.name) {
    case 'q':
      return { board, effect: { type: 'leave' } };
    case '?':
      return stay({ ...board, overlay: { kind: 'open', thing: { kind: 'help' }, top: 0 } });
    case 'tab':
    case 'right':
      return stay(focused(board, 1));
    case 'backtab':
    case 'left':
      return stay(focused(board, -1));
    case 'enter':
      return stay(opened(board));
    case 'o':
      return stay(openThing(board, thingIn(board, 'members')));
    case '/': {
      const pane = board.focus;
      return stay(asking(board, { for: 'filter', pane }, undefined, board.filters[pane]));
    }
    case 'escape':
      return stay({ ...board, filters: { ...board.filters, [board.focus]: undefined } });
    case 'i':
      return interrupting(board);
    case 's':
    case 'x':
    case 'a':
    case 'A':
    case 'd':
    case 'r':
      return stay(begun(board, key.name, waitingChosen(board)));
    default:
      return stay(moved(board, key));
  }
}

function focused(board: Board, by: number): Board {
  const at = (PANES.indexOf(board.focus) + by + PANES.length) % PANES.length;
  return onPane(board, PANES[at] ?? 'members');
}

function onPane(board: Board, focus: Pane): Board {
  return { ...board, focus, below: focus === 'members' ? board.below : focus };
}

function opened(board: Board): Board {
  if (board.focus === 'members') return onPane(board, 'transcript');
  if (board.focus === 'transcript') return { ...board, scroll: 0 };
  return openThing(board, thingIn(board, board.focus));
}

function openThing(board: Board, thing: Thing | undefined): Board {
  return thing ? { ...board, overlay: { kind: 'open', thing, top: 0 } } : board;
}

function interrupting(board: Board): Step {
  const member = chosenMember(board)?.name;
  return member === undefined ? stay(board) : { board, effect: { type: 'act', act: { type: 'interrupt', member } } };
}
