import type { Act, Ask, Board, Confirm, Overlay, Step } from './board.js';
import { begun } from './decisions.js';
import type { Key } from './key.js';
import { between, rowsMoved } from './moves.js';
import { isWholeSeen, lastTop, pageOf } from './views/things.js';

/** What a key press makes of what lies over the panes. */
export function overlayStep(board: Board, overlay: Overlay, key: Key): Step {
  if (key.name === 'escape') return { board: closed(board) };
  switch (overlay.kind) {
    case 'open':
      return { board: openStep(board, overlay, key) };
    case 'confirm':
      return confirmStep(board, overlay, key);
    case 'ask':
      return askStep(board, overlay, key);
  }
}

const closed = (board: Board): Board => ({ ...board, overlay: undefined });

function openStep(board: Board, overlay: Overlay & { kind: 'open' }, key: Key): Board {
  const { thing } = overlay;
  switch (key.name) {
    case 'q':
    case 'enter':
      return closed(board);
    case 'a':
    case 'A':
    case 'd':
    case 'r':
      return thing.kind === 'waiting' ? begun(board, key.name, thing.waiting) : board;
    default:
      return scrolled(board, overlay, key);
  }
}

function confirmStep(board: Board, confirm: Confirm, key: Key): Step {
  switch (key.name) {
    case 'y':
    case 'Y':
      return isWholeSeen(board, confirm)
        ? { board: closed(board), effect: { type: 'act', act: confirm.act } }
        : { board };
    case 'n':
    case 'N':
    case 'q':
      return { board: closed(board) };
    default:
      return { board: scrolled(board, confirm, key) };
  }
}

/** Scrolls in the thing that is shown whole, and keeps in mind that its end has been seen. */
function scrolled(board: Board, overlay: Overlay, key: Key): Board {
  if (!overlay.thing) return board;
  const by = rowsMoved(key, pageOf(board));
  const top = between(0, overlay.top + by, lastTop(board, overlay.thing));
  const next = { ...overlay, top };
  if (next.kind !== 'confirm') return { ...board, overlay: next };
  return { ...board, overlay: { ...next, isSeen: isWholeSeen(board, next) } };
}

function askStep(board: Board, ask: Ask, key: Key): Step {
  switch (key.name) {
    case 'enter':
      return answered(board, ask);
    case 'backspace':
      return { board: typed(board, ask, [...ask.text].slice(0, -1).join('')) };
    case 'ctrl-u':
      return { board: typed(board, ask, '') };
    case 'ctrl-w':
      return { board: typed(board, ask, withoutLastWord(ask.text)) };
    case 'up':
    case 'down':
    case 'pageup':
    case 'pagedown':
      return { board: scrolled(board, ask, key) };
    default:
      return { board: key.text === undefined ? board : typed(board, ask, ask.text + key.text) };
  }
}

function withoutLastWord(text: string): string {
  const words = text.trimEnd();
  const last = words.split(/\s/).at(-1) ?? '';
  return words.slice(0, words.length - last.length);
}

function typed(board: Board, ask: Ask, text: string): Board {
  return { ...board, overlay: { ...ask, text } };
}

function answered(board: Board, { what, text }: Ask): Step {
  const words = text.trim();
  if (what.for === 'filter')
    return { board: { ...closed(board), scroll: 0, filters: { ...board.filters, [what.pane]: words || undefined } } };
  if (words === '' && what.for === 'reject')
    return {
      board: {
        ...board,
        notice: { text: 'A rejected plan needs feedback: what should be different?', isProblem: true },
      },
    };
  if (words === '' && what.for === 'send') return { board: closed(board) };
  return { board: closed(board), effect: { type: 'act', act: actOf(what, words) } };
}

function actOf(what: Exclude<Ask['what'], { for: 'filter' }>, words: string): Act {
  switch (what.for) {
    case 'send':
      return { type: 'send', to: what.to, text: words };
    case 'deny':
      return { type: 'deny', id: what.id, reason: words };
    case 'reject':
      return { type: 'reject', id: what.id, feedback: words };
  }
}
