import { type Act, type Asked, type Board, type Confirm, colorOf, PANES, type Thing } from '../board.js';
import { cut, cutLine, endOf, flat, type Line, lineWidth, widthOf } from './cells.js';
import { keysFor } from './keyHints.js';
import { isTooSmall, layoutOf, SMALLEST } from './layout.js';
import { paneLines, tabLine } from './panes.js';
import { isWholeSeen, pageOf, rowsOf, wholeOf } from './things.js';
import { countWords, moneyWords, stateOfTeam, tokensIn } from './words.js';

/** A piece of a row, and the column that it begins at. */
export interface Placed {
  readonly column: number;
  readonly line: Line;
}

/** Every row of the screen. */
export type Frame = readonly (readonly Placed[])[];

/** All that is seen of the dashboard. */
export function frameOf(board: Board): Frame {
  const { size } = board;
  const rows: Placed[][] = Array.from({ length: Math.max(0, size.rows) }, () => []);
  const put = (row: number, line: Line, column = 0) =>
    void rows[row]?.push({ column, line: cutLine(line, size.columns - column) });
  if (isTooSmall(size)) {
    const words = `This terminal is too small: ${SMALLEST.columns}×${SMALLEST.rows} at least. q leaves.`;
    put(0, [{ text: words }]);
    return rows;
  }
  put(0, topBar(board));
  const thing = board.overlay?.thing;
  if (thing) for (const [index, line] of thingLines(board, thing).entries()) put(1 + index, line);
  else putPanes(board, put);
  put(size.rows - 2, lastWords(board));
  put(size.rows - 1, lastRow(board));
  return rows;
}

function putPanes(board: Board, put: (row: number, line: Line, column?: number) => void): void {
  const { panes, divider, tabs } = layoutOf(board);
  for (const pane of PANES) {
    const rect = panes[pane];
    if (!rect) continue;
    for (const [index, line] of paneLines(board, pane, rect).entries()) put(rect.top + index, line, rect.left);
  }
  if (tabs !== undefined) put(tabs, tabLine(board));
  if (divider === undefined) return;
  for (let row = 1; row < board.size.rows - 2; row++) put(row, [{ text: '│', style: 'dim' }], divider);
}

function topBar({ snapshot, size }: Board): Line {
  const { team, members, tasks, waiting, state } = snapshot;
  const done = tasks.filter(({ status }) => status === 'completed').length;
  const sum = (of: (member: (typeof members)[number]) => number) => members.reduce((all, one) => all + of(one), 0);
  const isRunning = state === 'running' || state === 'starting';
  const facts = [
    members.length === 1 ? '1 member' : `${members.length} members`,
    `${done} of ${tasks.length} tasks done`,
    `${countWords(sum(tokensIn))} tokens`,
    moneyWords(sum(({ record }) => record?.costUsd ?? 0)),
  ];
  const right = waiting.length === 0 ? '' : `${waiting.length} waiting for you `;
  const name: Line = [
    { text: ` ${flat(team)}`, style: 'strong' },
    { text: ` ${stateOfTeam(snapshot)}`, style: isRunning ? undefined : 'warn' },
  ];
  const room = size.columns - right.length - 1;
  // What does not fit is left out whole: half a number is another number.
  const shown = facts.filter(
    (_, index) => lineWidth(name) + widthOf(['', ...facts.slice(0, index + 1)].join('  ')) <= room,
  );
  const left = cutLine([...name, { text: ['', ...shown].join('  '), style: 'dim' }], room);
  return [...left, { text: ' '.repeat(Math.max(0, room + 1 - lineWidth(left))) }, { text: right, style: 'warn' }];
}

/** A thing, whole: as much as there is room for. */
function thingLines(board: Board, thing: Thing): Line[] {
  const rows = rowsOf(board, thing);
  const top = board.overlay?.top ?? 0;
  const shown = rows.slice(top, top + pageOf(board));
  const part = rows.length > shown.length ? `  rows ${top + 1} to ${top + shown.length} of ${rows.length}` : '';
  const { from, title } = wholeOf(thing);
  const badge: Line = from === undefined ? [] : [{ text: ` [${flat(from)}]`, style: { member: colorOf(board, from) } }];
  const name: Line = [...badge, { text: ` ${flat(title)}`, style: 'strong' }];
  return [
    [...cutLine(name, Math.max(1, board.size.columns - 1 - part.length)), { text: part, style: 'dim' }],
    ...shown.map((text): Line => [{ text: ` ${text}` }]),
  ];
}

/** Above the keys: what is asked, or what has happened. */
function lastWords(board: Board): Line {
  const { overlay, notice, snapshot, size } = board;
  if (overlay?.kind === 'confirm') return confirmLine(board, overlay);
  if (overlay?.kind === 'ask') return askLine(overlay.what, overlay.text, size.columns);
  if (notice) return [{ text: ` ${flat(notice.text)}`, style: notice.isProblem ? 'warn' : 'strong' }];
  if (snapshot.state === 'archived')
    return [{ text: ' The team has ended. This is what it left; q leaves.', style: 'warn' }];
  if (snapshot.state === 'crashed' || snapshot.state === 'stopped')
    return [{ text: ` Its lead does not run. Go on with: troupe resume ${flat(snapshot.team)}`, style: 'warn' }];
  return snapshot.problem === undefined ? [] : [{ text: ` ${flat(snapshot.problem)}`, style: 'warn' }];
}

/** Whoever is asked for words reads here what is wrong with them. */
function lastRow(board: Board): Line {
  const { overlay, notice } = board;
  return overlay?.kind === 'ask' && notice
    ? [{ text: ` ${flat(notice.text)}`, style: 'warn' }]
    : [{ text: ` ${keysFor(board)}`, style: 'dim' }];
}

function confirmLine(board: Board, overlay: Confirm): Line {
  const words = isWholeSeen(board, overlay)
    ? `${confirmWords(board, overlay.act)} y yes, n no`
    : 'There is more of it below: Space shows it. Then y or n.';
  return [{ text: ` ${words}`, style: 'warn' }];
}

function confirmWords({ snapshot }: Board, act: Act): string {
  const asker = (id: string) => flat(snapshot.waiting.find((waiting) => waiting.id === id)?.from ?? 'somebody');
  switch (act.type) {
    case 'approve':
      return `Approve this plan of ${asker(act.id)}?`;
    case 'allow':
      return act.always
        ? 'Allow this, and such calls to the whole team from now on?'
        : `Allow this to ${asker(act.id)}?`;
    case 'shutdown':
      return `Ask ${flat(act.member)} to end?`;
    default:
      return 'Do it?';
  }
}

function askLine(what: Asked, text: string, columns: number): Line {
  const question = ` ${cut(askWords(what), Math.floor(columns / 2))} `;
  // What is typed last is what is looked at.
  const room = columns - widthOf(question) - 2;
  return [{ text: question, style: 'warn' }, { text: endOf(text, room) }, { text: '▏', style: 'strong' }];
}

function askWords(what: Asked): string {
  switch (what.for) {
    case 'send':
      return `To ${flat(what.to)}:`;
    case 'deny':
      return `Why does ${flat(what.from)} get a no? (may be empty)`;
    case 'reject':
      return `What should be different, for ${flat(what.from)}?`;
    case 'filter':
      return 'Show only:';
  }
}
