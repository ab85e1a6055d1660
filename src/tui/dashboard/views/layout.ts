import type { Board, Pane, Size } from '../board.js';
import { membersIn, tasksIn, waitingIn } from '../lists.js';

/** Where a pane is drawn, in columns and rows from 0. */
export interface Rect {
  readonly left: number;
  readonly top: number;
  readonly columns: number;
  readonly rows: number;
}

export interface Layout {
  readonly panes: Readonly<Partial<Record<Pane, Rect>>>;
  /** The column between the two halves of a wide terminal. */
  readonly divider?: number;
  /** The row that names the panes of which a small terminal shows one. */
  readonly tabs?: number;
}

export const SMALLEST: Size = { columns: 40, rows: 10 };

export function isTooSmall({ columns, rows }: Size): boolean {
  return columns < SMALLEST.columns || rows < SMALLEST.rows;
}

/** The first row below the bar at the top, and how many there are above the two at the bottom. */
const TOP = 1;
const bodyRows = ({ rows }: Size) => rows - 3;

/** A pane's own rows beside what it lists: its title, the titles of its columns. */
const HEADS = 2;

export function layoutOf(board: Board): Layout {
  const { size } = board;
  return size.columns >= 120 && size.rows >= 20 ? wideLayout(board) : smallLayout(board);
}

function wideLayout(board: Board): Layout {
  const { size } = board;
  const all = bodyRows(size);
  const left = Math.floor((size.columns - 3) / 2);
  // Each with an empty row behind it.
  const share = (rows: number, part: number) =>
    Math.min(HEADS + Math.max(1, rows) + 1, Math.max(4, Math.floor(all * part)));
  const members = share(membersIn(board).items.length, 0.4);
  const waiting = share(waitingIn(board).items.length, 0.3);
  const tasks = share(tasksIn(board).items.length, 0.3);
  const tops = [TOP, TOP + members, TOP + members + waiting, TOP + members + waiting + tasks];
  const rect = (top = TOP, rows = 0): Rect => ({ left: 0, top, columns: left, rows });
  return {
    divider: left + 1,
    panes: {
      members: rect(tops[0], members - 1),
      waiting: rect(tops[1], waiting - 1),
      tasks: rect(tops[2], tasks - 1),
      messages: rect(tops[3], Math.max(0, all - members - waiting - tasks)),
      transcript: { left: left + 3, top: TOP, columns: size.columns - left - 3, rows: all },
    },
  };
}

function smallLayout(board: Board): Layout {
  const { size, below } = board;
  const all = bodyRows(size);
  const columns = size.columns;
  const most = Math.max(3, Math.floor(all * 0.4));
  const members = Math.min(HEADS + Math.max(1, membersIn(board).items.length), most);
  const tabs = TOP + members + (all >= 12 ? 1 : 0);
  const top = tabs + 1;
  return {
    tabs,
    panes: {
      members: { left: 0, top: TOP, columns, rows: members },
      [below]: { left: 0, top, columns, rows: Math.max(0, TOP + all - top) },
    },
  };
}

/** The first of `count` things that is shown in so many rows, with the chosen one among them. */
export function firstShown(count: number, at: number, rows: number): number {
  return Math.max(0, Math.min(at - Math.floor(rows / 2), count - rows));
}
