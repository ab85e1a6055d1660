import stringWidth from 'string-width';
import { head, tail, wellFormed } from '../../../util/text.js';
import { visible } from '../../../util/visible.js';

export type Style = 'strong' | 'dim' | 'warn' | { readonly member: string | undefined };

/** A piece of a row. */
export interface Span {
  readonly text: string;
  readonly style?: Style | undefined;
}

export type Line = readonly Span[];

/** Characters of one column each: ASCII, Latin letters, and what the dashboard draws with. */
const PLAIN = /^[\x20-\x7e\xb7\xc0-\u024f\u2026\u2190-\u2193\u23bf\u2502\u258f\u25b8\u25cf\u2717]*$/;
/** To measure a character takes long, and a text has few different ones. */
const MOST_KNOWN = 10_000;
const known = new Map<string, number>();
const ELLIPSIS = '…';
/** One column has hardly more units than this, and a text may be megabytes long: no more of it is looked at. */
const UNITS = 32;
const segmenter = new Intl.Segmenter();

/** Columns that a text takes in a terminal. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let sum = 0;
  for (const { segment } of segmenter.segment(text)) sum += columnsOf(segment);
  return sum;
}

function columnsOf(character: string): number {
  const before = known.get(character);
  if (before !== undefined) return before;
  const columns = stringWidth(character);
  if (known.size >= MOST_KNOWN) known.clear();
  // Thousands of marks on one letter are no character that comes again.
  if (character.length <= UNITS) known.set(character, columns);
  return columns;
}

/** Whether a text takes at most so many columns. */
function fits(text: string, columns: number): boolean {
  return text.length <= Math.max(1, columns) * UNITS && widthOf(text) <= columns;
}

export function lineWidth(line: Line): number {
  return line.reduce((sum, { text }) => sum + widthOf(text), 0);
}

/** Anybody's words as rows that move no cursor. */
export function printable(text: string): string {
  return visible(wellFormed(text))
    .replaceAll('\t', '    ')
    .replace(/[\u2028\u2029]/g, '\n');
}

/** Anybody's words as one row, of which no more than so many columns are going to be shown. */
export function flat(text: string, columns = Number.POSITIVE_INFINITY): string {
  return printable(head(text, columns * UNITS))
    .replace(/\s+/g, ' ')
    .trim();
}

/** The end of anybody's words, as much as fits into one row. */
export function endOf(text: string, columns: number): string {
  const near = printable(tail(text, Math.max(0, columns) * UNITS)).replace(/\s/g, ' ');
  let end = '';
  let used = 0;
  for (const { segment } of Array.from(segmenter.segment(near)).reverse()) {
    used += columnsOf(segment);
    if (used > columns) break;
    end = segment + end;
  }
  return end;
}

/** As much of one row as fits, with an ellipsis for the rest. */
export function cut(text: string, columns: number): string {
  if (fits(text, columns)) return text;
  return columns < 1 ? '' : `${pieceOf(text, columns - 1)}${ELLIPSIS}`;
}

/** Exactly so many columns. */
export function padded(text: string, columns: number, align: 'left' | 'right' = 'left'): string {
  const fitting = cut(text, columns);
  const space = ' '.repeat(Math.max(0, columns - widthOf(fitting)));
  return align === 'left' ? `${fitting}${space}` : `${space}${fitting}`;
}

/** A row of at most so many columns. */
export function cutLine(line: Line, columns: number): Line {
  const isNear = line.every(({ text }) => text.length <= columns * UNITS);
  if (isNear && lineWidth(line) <= columns) return line;
  const kept: Span[] = [];
  let left = columns;
  for (const span of line) {
    const text = cut(span.text, left);
    kept.push({ ...span, text });
    left -= widthOf(text);
    if (text !== span.text || left <= 0) break;
  }
  return kept;
}

/** Rows of at most so many columns, broken between words where that is possible. The words may be anybody's. */
export function wrap(text: string, columns: number): string[] {
  return printable(text)
    .split('\n')
    .flatMap((line) => (fits(line, columns) ? [line] : brokenUp(line, Math.max(2, columns))));
}

function brokenUp(line: string, columns: number): string[] {
  const rows: string[] = [];
  let row = '';
  let used = 0;
  const endRow = () => {
    rows.push(row.trimEnd());
    row = '';
    used = 0;
  };
  for (const [word] of line.matchAll(/\S+\s*|\s+/g)) {
    let rest = word;
    if (used > 0 && !fits(rest.trimEnd(), columns - used)) endRow();
    while (!fits(rest.trimEnd(), columns)) {
      const piece = pieceOf(rest, columns) || firstOf(rest);
      rows.push(piece);
      rest = rest.slice(piece.length);
    }
    row += rest;
    used += widthOf(rest);
  }
  endRow();
  return rows;
}

/** The first characters of a text that fit. */
function pieceOf(text: string, columns: number): string {
  const near = head(text, columns * UNITS);
  if (PLAIN.test(near)) return near.slice(0, columns);
  let piece = '';
  let used = 0;
  for (const { segment } of segmenter.segment(near)) {
    used += columnsOf(segment);
    if (used > columns) break;
    piece += segment;
  }
  return piece;
}

/** One that is wider than there is room for. */
const firstOf = (text: string) => String.fromCodePoint(text.codePointAt(0) ?? 32);
