import { flat, type Line, padded, type Span, type Style, widthOf } from './cells.js';

export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => string;
  readonly style?: (row: T) => Style | undefined;
  readonly align?: 'left' | 'right';
  /** Takes what the others leave. */
  readonly isWide?: boolean;
  readonly most?: number;
  /** Left out where there is no room; the highest first. */
  readonly spare?: number;
  /** Left out where it says nothing of any row. */
  readonly isSparse?: boolean;
}

const GAP = 2;
/** What a wide column is worth to leave others out for. */
const WIDE = 16;

/** Aligned columns: the row of titles, then a row for each thing. */
export function tableOf<T>(all: readonly Column<T>[], rows: readonly T[], total: number): Line[] {
  const columns = all.filter(({ isSparse, cell }) => !isSparse || rows.some((row) => cell(row) !== ''));
  const cells = columns.map(({ cell }) => rows.map((row) => flat(cell(row), total)));
  const natural = columns.map(({ title, most = Number.POSITIVE_INFINITY, isWide }, index) =>
    isWide ? WIDE : Math.min(most, Math.max(widthOf(title), ...(cells[index] ?? []).map(widthOf))),
  );
  const kept = columnsThatFit(columns, natural, total);
  const used = kept.reduce((sum, index) => sum + (columns[index]?.isWide ? 0 : (natural[index] ?? 0)) + GAP, -GAP);
  const line = (spanOf: (column: Column<T>, index: number, width: number) => Span): Line =>
    kept.flatMap((index, at): Span[] => {
      const column = columns[index];
      if (!column) return [];
      const width = column.isWide ? Math.max(1, total - used) : (natural[index] ?? 0);
      const gap = at === kept.length - 1 ? '' : ' '.repeat(GAP);
      const span = spanOf(column, index, width);
      return [{ ...span, text: `${padded(span.text, width, column.align)}${gap}` }];
    });
  return [
    line(({ title }) => ({ text: title, style: 'dim' })),
    ...rows.map((row, at) => line((column, index) => ({ text: cells[index]?.[at] ?? '', style: column.style?.(row) }))),
  ];
}

/** The columns that there is room for, by their places. */
function columnsThatFit<T>(columns: readonly Column<T>[], widths: readonly number[], total: number): number[] {
  let kept = columns.map((_, index) => index);
  const taken = () => kept.reduce((sum, index) => sum + (widths[index] ?? 0) + GAP, -GAP);
  while (taken() > total) {
    const [out] = kept
      .filter((index) => columns[index]?.spare !== undefined)
      .sort((a, b) => (columns[b]?.spare ?? 0) - (columns[a]?.spare ?? 0));
    if (out === undefined) break;
    kept = kept.filter((index) => index !== out);
  }
  return kept;
}
