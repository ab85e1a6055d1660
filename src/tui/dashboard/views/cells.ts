import stringWidth from 'string-width';
import { wellFormed } from '../../../util/text.js';
import { visible } from '../../../util/visible.js';

export type Style = 'strong' | 'dim' | 'warn' | { readonly member: string | undefined };

/** A piece of a row. */
export interface Span {
  readonly text: string;
  readonly style?: Style | undefined;
}

export type Line = readonly Span[];

const PLAIN = /^[\x20-\x7e]*$/;
const ELLIPSIS = '…';
const segmenter = new Intl.Segmenter();

/** Columns that a text takes in a terminal. */
export function widthOf(text: string): number {
  return PLAIN.test(text) ? text.length : stringWidth(text);
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

/** Anybody's words as one row. */
export function flat(text: string): string {
  return printable(text).replace(/\s+/g, ' ').trim();
}

/** As much of one row as fits, with an ellipsis for the rest. */
export function cut(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
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
  if (lineWidth(line) <= columns) return line;
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
    .flatMap((line) => (widthOf(line) <= columns ? [line] : brokenUp(line, Math.max(2, columns))));
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
  for (const word of line.match(/\S+\s*|\s+/g) ?? []) {
    let rest = word;
    if (used > 0 && used + widthOf(rest.trimEnd()) > columns) endRow();
    while (widthOf(rest.trimEnd()) > columns) {
      const piece = pieceOf(rest, columns);
      rows.push(piece);
      rest = rest.slice(piece.length);
    }
    row += rest;
    used += widthOf(rest);
  }
  endRow();
  return rows;
}

/** The first characters of a text that fit, at least one where any would. */
function pieceOf(text: string, columns: number): string {
  // So much of it at most: one column has hardly more units than this, and a text may be megabytes long.
  const near = text.slice(0, columns * 32);
  let piece = '';
  let used = 0;
  for (const { segment } of segmenter.segment(near)) {
    used += widthOf(segment);
    if (used > columns) break;
    piece += segment;
  }
  // One of no width at all, with thousands of marks on it.
  return piece === '' ? near.slice(0, 1) : piece;
}
