import type { Board } from '../board.js';
import { transcriptIn } from '../lists.js';
import { type Line, type Style, wrap } from './cells.js';
import type { Rect } from './layout.js';

interface Row {
  readonly text: string;
  readonly style: Style | undefined;
}

/** To break three thousand lines into rows at each key press would be felt. */
const broken = new WeakMap<readonly string[], { readonly columns: number; readonly rows: readonly Row[] }>();
/** Of a transcript that grows, and of one that is filtered, most lines are those of the last look. */
let lately: { readonly columns: number; readonly rows: ReadonlyMap<string, readonly Row[]> } | undefined;

/** The transcript in rows of at most so many columns. */
export function transcriptRows(board: Board, columns: number): readonly Row[] {
  const lines = transcriptIn(board);
  const known = broken.get(lines);
  if (known?.columns === columns) return known.rows;
  const before = lately?.columns === columns ? lately.rows : undefined;
  const byLine = new Map(lines.map((line) => [line, before?.get(line) ?? rowsOfLine(line, columns)]));
  const rows = lines.flatMap((line) => byLine.get(line) ?? []);
  lately = { columns, rows: byLine };
  broken.set(lines, { columns, rows });
  return rows;
}

function rowsOfLine(line: string, columns: number): readonly Row[] {
  return wrap(line, columns).map((text) => ({ text, style: styleOf(line) }));
}

/** Its end, or what is as many rows above that as the person has scrolled back. */
export function transcriptPane(board: Board, rect: Rect): Line[] {
  const rows = transcriptRows(board, columnsIn(rect));
  const { isCut } = board.snapshot.transcript;
  if (rows.length === 0) {
    const words = board.filters.transcript === undefined ? 'Nothing said yet.' : 'Nothing has these words in it.';
    return [[{ text: `  ${words}`, style: 'dim' }]];
  }
  const height = Math.max(1, rect.rows - 1);
  const end = Math.max(Math.min(height, rows.length), rows.length - board.scroll);
  const shown = rows.slice(Math.max(0, end - height), end);
  const isAtTop = isCut && end - height <= 0;
  return [
    ...(isAtTop ? [[{ text: '  … the beginning: troupe peek NAME -n 9999', style: 'dim' as const }]] : []),
    ...shown.map(({ text, style }): Line => [{ text: `  ${text}`, style }]),
  ];
}

export function columnsIn({ columns }: Rect): number {
  return Math.max(2, columns - 2);
}

/** How many rows back the beginning is. */
export function mostScroll(board: Board, rect: Rect): number {
  return Math.max(0, transcriptRows(board, columnsIn(rect)).length - Math.max(1, rect.rows - 1));
}

/** What a line begins with, as `messageLines` has it. */
const STYLES: readonly (readonly [string, Style])[] = [
  ['● ', 'strong'],
  ['← ', 'strong'],
  ['> ', 'strong'],
  ['  ⎿ ', 'dim'],
  ['… ', 'dim'],
  ['✗ ', 'warn'],
  ['  ✗ ', 'warn'],
];

function styleOf(line: string): Style | undefined {
  return STYLES.find(([beginning]) => line.startsWith(beginning))?.[1];
}
