import type { Board, Pane } from './board.js';
import type { Key } from './key.js';
import { type Chosen, membersIn, messagesIn, tasksIn, waitingIn } from './lists.js';
import { layoutOf } from './views/layout.js';
import { roomIn } from './views/panes.js';
import { mostScroll } from './views/transcript.js';

/** Where a key moves to in something long: by rows, or to an end. */
export function rowsMoved({ name }: Key, page: number): number {
  switch (name) {
    case 'up':
    case 'k':
      return -1;
    case 'down':
    case 'j':
      return 1;
    case 'pageup':
    case 'ctrl-b':
    case 'b':
      return -page;
    case 'pagedown':
    case 'ctrl-f':
    case ' ':
      return page;
    case 'home':
    case 'g':
      return Number.NEGATIVE_INFINITY;
    case 'end':
    case 'G':
      return Number.POSITIVE_INFINITY;
    default:
      return 0;
  }
}

export function between(lowest: number, value: number, highest: number): number {
  return Math.max(lowest, Math.min(value, highest));
}

/** The board after a key that moves in the pane where the person is; as it is after any other. */
export function moved(board: Board, key: Key): Board {
  const { focus } = board;
  const rect = layoutOf(board).panes[focus];
  const page = rect ? Math.max(1, roomIn(board, focus, rect) - 1) : 1;
  const by = rowsMoved(key, page);
  if (by === 0) return board;
  if (focus === 'transcript')
    return rect ? { ...board, scroll: between(0, board.scroll - by, mostScroll(board, rect)) } : board;
  const id = idAfter(board, focus, by);
  if (id === undefined) return board;
  if (focus !== 'members') return { ...board, cursors: { ...board.cursors, [focus]: id } };
  return id === board.chosen ? board : { ...board, chosen: id, scroll: 0 };
}

function idAfter(board: Board, pane: Exclude<Pane, 'transcript'>, by: number): string | undefined {
  const next = <T>({ items, at }: Chosen<T>) => items[between(0, at + by, items.length - 1)];
  switch (pane) {
    case 'members':
      return next(membersIn(board))?.name;
    case 'waiting':
      return next(waitingIn(board))?.id;
    case 'tasks':
      return next(tasksIn(board))?.id;
    case 'messages':
      return next(messagesIn(board))?.id;
  }
}
