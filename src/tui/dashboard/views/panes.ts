import { type Board, colorOf, type Pane } from '../board.js';
import { type Chosen, membersIn, messagesIn, readMember, tasksIn, waitingIn, waitingWords } from '../lists.js';
import type { BoardMember, BoardMessage, BoardTask, Waiting } from '../snapshot.js';
import { cutLine, flat, type Line, type Span } from './cells.js';
import { firstShown, type Rect } from './layout.js';
import { type Column, tableOf } from './table.js';
import { transcriptPane } from './transcript.js';
import { agoWords, countWords, doingWords, hasMemberEnded, moneyWords, stateWords, timeOf, tokensIn } from './words.js';

const MARK = '▸ ';
const NO_MARK = '  ';

/** A pane's rows, at most as many and as wide as it has room for. */
export function paneLines(board: Board, pane: Pane, rect: Rect): Line[] {
  const lines = pane === 'transcript' ? transcriptPane(board, rect) : listPane(board, pane, rect);
  const withTitle = pane === 'members' || isWide(board) ? [titleLine(board, pane), ...lines] : lines;
  return withTitle.slice(0, rect.rows).map((line) => cutLine(line, rect.columns));
}

/** Rows of a pane below its title, where it has one. */
export function roomIn(board: Board, pane: Pane, rect: Rect): number {
  return Math.max(0, rect.rows - (pane === 'members' || isWide(board) ? 1 : 0));
}

/** A small terminal names its panes in one row of tabs. */
const isWide = ({ size }: Board) => size.columns >= 120 && size.rows >= 20;

export function titleLine(board: Board, pane: Pane): Line {
  const isFocus = board.focus === pane;
  const name: Span = { text: titleOf(board, pane), style: isFocus ? 'strong' : 'dim' };
  return [{ text: isFocus ? MARK : NO_MARK, style: 'strong' }, name, ...moreOfTitle(board, pane)];
}

/** The names of the panes of which one is shown. */
export function tabLine(board: Board): Line {
  const tabs = (['waiting', 'tasks', 'messages', 'transcript'] as const).flatMap((pane, index): Span[] => [
    { text: index === 0 ? '' : '  ', style: 'dim' },
    {
      text: `${board.focus === pane ? MARK : ''}${titleOf(board, pane)}`,
      style: board.below === pane ? 'strong' : pane === 'waiting' && board.snapshot.waiting.length > 0 ? 'warn' : 'dim',
    },
    ...(board.below === pane ? moreOfTitle(board, pane) : []),
  ]);
  return [{ text: NO_MARK }, ...tabs];
}

function titleOf({ snapshot, ...board }: Board, pane: Pane): string {
  const count = (name: string, items: readonly unknown[]) => (items.length === 0 ? name : `${name} ${items.length}`);
  switch (pane) {
    case 'members':
      return count('Members', snapshot.members);
    case 'waiting':
      return count('Waiting for you', snapshot.waiting);
    case 'tasks':
      return count('Tasks', snapshot.tasks);
    case 'messages':
      return count('Messages', snapshot.messages);
    case 'transcript':
      return flat(`Transcript of ${readMember({ snapshot, ...board }) ?? 'nobody'}`);
  }
}

function moreOfTitle(board: Board, pane: Pane): Span[] {
  const filter = board.filters[pane];
  const back = pane === 'transcript' && board.scroll > 0 ? `  ${board.scroll} rows back; End follows again` : '';
  return [
    ...(filter === undefined ? [] : [{ text: `  /${flat(filter)}`, style: 'warn' as const }]),
    ...(back === '' ? [] : [{ text: back, style: 'dim' as const }]),
  ];
}

function listPane(board: Board, pane: Exclude<Pane, 'transcript'>, rect: Rect): Line[] {
  const isFiltered = board.filters[pane] !== undefined;
  const nothing = (words: string): Line[] => [
    [{ text: `${NO_MARK}${isFiltered ? 'Nothing has these words in it.' : words}`, style: 'dim' }],
  ];
  const rows = roomIn(board, pane, rect);
  const list = <T>(columns: readonly Column<T>[], chosen: Chosen<T>, words: string) =>
    chosen.items.length === 0
      ? nothing(words)
      : listLines(columns, chosen, rect.columns, rows, board.focus === pane || pane === 'members');
  switch (pane) {
    case 'members':
      return list(memberColumns(board), membersIn(board), 'Nobody is here.');
    case 'waiting':
      return list(waitingColumns(board), waitingIn(board), 'Nothing waits for you.');
    case 'tasks':
      return list(taskColumns(board), tasksIn(board), 'No tasks yet.');
    case 'messages':
      return list(messageColumns(board), messagesIn(board), 'No messages yet.');
  }
}

function listLines<T>(
  columns: readonly Column<T>[],
  { items, at }: Chosen<T>,
  width: number,
  rows: number,
  isMarked: boolean,
): Line[] {
  const first = firstShown(items.length, at, rows - 1);
  const shown = items.slice(first, first + Math.max(0, rows - 1));
  const [head = [], ...lines] = tableOf(columns, shown, width - MARK.length);
  const marked = (line: Line, index: number): Line => {
    const isChosen = isMarked && first + index === at;
    return [{ text: isChosen ? MARK : NO_MARK, style: 'strong' }, ...line];
  };
  return [[{ text: NO_MARK }, ...head], ...lines.map(marked)];
}

function memberColumns({ snapshot: { at } }: Board): Column<BoardMember>[] {
  const dimEnded = (member: BoardMember) => (hasMemberEnded(member) ? 'dim' : undefined);
  const state = (member: BoardMember) => (member.record?.waitingFor ? 'warn' : dimEnded(member));
  return [
    { title: 'member', cell: ({ name }) => name, style: ({ color }) => ({ member: color }), most: 20 },
    { title: 'state', cell: stateWords, style: state, most: 22 },
    { title: 'doing', cell: doingWords, style: dimEnded, isWide: true },
    { title: 'task', cell: ({ record }) => (record?.task ? `#${record.task}` : ''), spare: 2, isSparse: true },
    { title: 'turns', cell: ({ record }) => String(record?.turns ?? 0), align: 'right', spare: 5 },
    { title: 'tokens', cell: (member) => countWords(tokensIn(member)), align: 'right', spare: 4 },
    { title: 'cost', cell: ({ record }) => moneyWords(record?.costUsd ?? 0), align: 'right', spare: 1 },
    { title: 'seen', cell: ({ record }) => (record ? agoWords(at - record.heartbeat) : ''), align: 'right', spare: 3 },
  ];
}

function waitingColumns(board: Board): Column<Waiting>[] {
  return [
    { title: 'from', cell: ({ from }) => from, style: ({ from }) => ({ member: colorOf(board, from) }), most: 20 },
    {
      title: 'what',
      cell: (waiting) => (waiting.kind === 'question' ? 'question' : waiting.request.kind),
      style: () => 'warn',
    },
    { title: 'about', cell: waitingWords, isWide: true },
    {
      title: 'since',
      cell: (waiting) => (waiting.kind === 'question' ? '' : agoWords(board.snapshot.at - waiting.request.createdAt)),
      align: 'right',
      spare: 1,
    },
  ];
}

function taskColumns(board: Board): Column<BoardTask>[] {
  const dimDone = ({ status }: BoardTask) => (status === 'completed' ? 'dim' : undefined);
  return [
    { title: '#', cell: ({ id }) => id, align: 'right', style: dimDone, most: 6 },
    {
      title: 'status',
      cell: ({ status }) => status.replace('_', ' '),
      style: (task) => (task.status === 'in_progress' ? 'strong' : dimDone(task)),
    },
    { title: 'subject', cell: ({ subject }) => subject, style: dimDone, isWide: true },
    {
      title: 'owner',
      cell: ({ owner = '' }) => owner,
      style: (task) => dimDone(task) ?? { member: colorOf(board, task.owner ?? '') },
      most: 20,
      spare: 1,
      isSparse: true,
    },
    {
      title: 'waits for',
      cell: ({ waitsFor }) => waitsFor.map((id) => `#${id}`).join(' '),
      most: 14,
      spare: 2,
      isSparse: true,
    },
  ];
}

function messageColumns(board: Board): Column<BoardMessage>[] {
  const badge = (name: string) => ({ member: colorOf(board, name) });
  return [
    { title: 'time', cell: ({ at }) => timeOf(at), style: () => 'dim', spare: 1 },
    { title: 'from', cell: ({ from }) => from, style: ({ from }) => badge(from), most: 16 },
    { title: 'to', cell: ({ to }) => to, style: ({ to }) => badge(to), most: 16 },
    { title: 'about', cell: ({ summary }) => summary, isWide: true },
  ];
}
