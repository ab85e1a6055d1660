import type { Color, StyledLine, TextStyle } from '../util/styledText.js';
import { cut, widthOf } from './dashboard/views/cells.js';
import { Shown } from './shown.js';

/** A styled line for a terminal of so many columns. */
export function shownLine(line: StyledLine, columns: number, isColored: boolean): Shown {
  let left = columns;
  const pieces = line.map(({ text, style }) => {
    const fitting = cut(text, left);
    left -= widthOf(fitting);
    const codes = isColored ? codesOf(style) : '';
    return new Shown(fitting, (words) => (codes === '' || words === '' ? words : `\x1b[${codes}m${words}\x1b[0m`));
  });
  return Shown.joined(pieces);
}

const CODES = { bold: 1, dim: 2, italics: 3, underscore: 4, reverse: 7, strikethrough: 9 } as const;

function codesOf({ fg, bg, attributes }: TextStyle): string {
  return [...attributes.map((name) => String(CODES[name])), ...colorCodes(38, fg), ...colorCodes(48, bg)].join(';');
}

function colorCodes(layer: 38 | 48, color: Color | undefined): string[] {
  if (color === undefined) return [];
  if (typeof color === 'number') return [`${layer};5;${color}`];
  const parts = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return [`${layer};2;${parts.join(';')}`];
}
