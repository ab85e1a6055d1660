import { head, wellFormed } from './text.js';
import { visible } from './visible.js';

/** A colour of the palette (0–255), or any by its parts in hexadecimal, `#rrggbb`. */
export type Color = number | `#${string}`;
export type Attribute = 'bold' | 'dim' | 'italics' | 'underscore' | 'reverse' | 'strikethrough';

export interface TextStyle {
  readonly fg?: Color | undefined;
  readonly bg?: Color | undefined;
  readonly attributes: readonly Attribute[];
}

export interface StyledPiece {
  readonly text: string;
  readonly style: TextStyle;
}

/** A row for a terminal, its text without anything that a terminal obeys. */
export type StyledLine = readonly StyledPiece[];

export const PLAIN_STYLE: TextStyle = { attributes: [] };

const MOST_CHARACTERS = 400;
const MOST_PIECES = 40;

// Colours (1), and all else that a terminal obeys: strings such as links and titles, cursor movements, short escapes.
const ESCAPES = [
  '\\x1b\\[([0-9;:]*)m',
  '\\x1b[\\]PX^_][^\\x07\\x1b]*(?:\\x07|\\x1b\\\\)?',
  '\\x1b\\[[0-?]*[ -/]*[@-~]?',
  '\\x1b[ -/]*[0-~]?',
].join('|');

/** The first lines of what a program has printed, with its colours and nothing else that a terminal would obey. */
export function styledLines(output: string, most: number): StyledLine[] {
  const lines = wellFormed(output).trimEnd().replaceAll('\r\n', '\n').split('\n').slice(0, most);
  let style = PLAIN_STYLE;
  return lines.map((line) => {
    const pieces: StyledPiece[] = [];
    let left = MOST_CHARACTERS;
    const add = (raw: string) => {
      const text = head(visible(raw.replaceAll('\t', ' ')), left);
      if (text === '' || pieces.length === MOST_PIECES) return;
      left -= text.length;
      pieces.push({ text, style });
    };
    let at = 0;
    for (const found of line.matchAll(new RegExp(ESCAPES, 'g'))) {
      add(line.slice(at, found.index));
      at = found.index + found[0].length;
      if (found[1] !== undefined) style = styleAfter(style, found[1]);
    }
    add(line.slice(at));
    return pieces;
  });
}

const ON: Readonly<Record<number, Attribute>> = {
  1: 'bold',
  2: 'dim',
  3: 'italics',
  4: 'underscore',
  7: 'reverse',
  9: 'strikethrough',
};
const OFF: Readonly<Record<number, readonly Attribute[]>> = {
  22: ['bold', 'dim'],
  23: ['italics'],
  24: ['underscore'],
  27: ['reverse'],
  29: ['strikethrough'],
};

/** The style behind `ESC [ codes m`, as ECMA-48 and ISO 8613-6 have them. */
function styleAfter(before: TextStyle, codes: string): TextStyle {
  let style = before;
  const numbers = codes.split(/[;:]/).map(Number);
  for (let at = 0; at < numbers.length; at++) {
    const code = numbers[at] ?? 0;
    const on = ON[code];
    const off = OFF[code] ?? [];
    if (code === 0) style = PLAIN_STYLE;
    else if (code === 38 || code === 48) {
      const { color, used } = colorIn(numbers.slice(at + 1), codes.includes(':'));
      if (color !== undefined) style = { ...style, [code === 38 ? 'fg' : 'bg']: color };
      at += used;
    } else if (on || off.length > 0) {
      const kept = style.attributes.filter((attribute) => attribute !== on && !off.includes(attribute));
      style = { ...style, attributes: on ? [...kept, on] : kept };
    } else style = { ...style, ...plainColor(code) };
  }
  return style;
}

function plainColor(code: number): Partial<TextStyle> {
  if (code === 39) return { fg: undefined };
  if (code === 49) return { bg: undefined };
  if (code >= 30 && code <= 37) return { fg: code - 30 };
  if (code >= 40 && code <= 47) return { bg: code - 40 };
  if (code >= 90 && code <= 97) return { fg: code - 90 + 8 };
  if (code >= 100 && code <= 107) return { bg: code - 100 + 8 };
  return {};
}

/** `5;n` or `2;r;g;b`; with colons there may be an empty colour space in front of the parts. */
function colorIn([kind, ...rest]: readonly number[], isColons: boolean): { color?: Color; used: number } {
  const isByte = (part: number | undefined) => part !== undefined && part >= 0 && part <= 255;
  if (kind === 5) return { used: 2, ...(isByte(rest[0]) && { color: rest[0] ?? 0 }) };
  if (kind !== 2) return { used: 1 };
  const skipped = isColons && rest.length > 3 ? 1 : 0;
  const parts = rest.slice(skipped, skipped + 3);
  const hex = parts.map((part) => part.toString(16).padStart(2, '0')).join('');
  return { used: 4 + skipped, ...(parts.length === 3 && parts.every(isByte) && { color: `#${hex}` }) };
}
