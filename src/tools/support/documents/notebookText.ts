import { type Node, parseTree } from 'jsonc-parser';
import { type Cell, plainJson } from './notebook.js';

/** A notebook's text, in which one cell is changed: all that is outside of it stays as it stands, to the byte. */
export interface NotebookText {
  /** What a cell has in common with the one before it stays as it stands too. */
  replaced(index: number, before: Cell, after: Cell): string;
  inserted(index: number, cell: Cell): string;
  deleted(index: number): string;
}

/** @param text of what is a notebook */
export function notebookText(text: string): NotebookText {
  const list = fieldOf(parseTree(plainJson(text)), 'cells');
  if (!list) throw new Error('a notebook without cells');
  const cells = list.children ?? [];
  const style = styleOf(text);
  const spliced = (from: number, to: number, words: string) => `${text.slice(0, from)}${words}${text.slice(to)}`;
  const place = (index: number): Node => {
    const cell = cells[index];
    if (!cell) throw new Error(`no cell ${index}`);
    return cell;
  };
  return {
    replaced(index, before, after) {
      const cell = place(index);
      return spliced(cell.offset, endOf(cell), cellText(text, cell, before, after, style));
    },
    inserted(index, cell) {
      const [first] = cells;
      if (!first) {
        const [outside, inside] =
          style.unit === '' ? ['', ''] : [style.eol + style.unit, style.eol + style.unit.repeat(2)];
        return spliced(list.offset, endOf(list), `[${inside}${rendered(cell, inside, style)}${outside}]`);
      }
      const gap = text.slice(list.offset + 1, first.offset);
      const between = cells.length > 1 ? text.slice(endOf(first), place(1).offset) : `,${gap}`;
      const words = rendered(cell, gap, style);
      if (index === 0) return spliced(first.offset, first.offset, `${words}${between}`);
      const end = endOf(place(index - 1));
      return spliced(end, end, `${between}${words}`);
    },
    deleted(index) {
      const cell = place(index);
      if (cells.length === 1) return spliced(list.offset, endOf(list), '[]');
      return index < cells.length - 1
        ? spliced(cell.offset, place(index + 1).offset, '')
        : spliced(endOf(place(index - 1)), endOf(cell), '');
    },
  };
}

/** How the file is written: its line ends, and what indents a level; nothing where all of it is one line. */
interface Style {
  readonly eol: string;
  readonly unit: string;
}

function styleOf(text: string): Style {
  const [, eol = '\n', unit = ''] = /^\s*\{(\r?\n)([ \t]+)"/.exec(text) ?? [];
  return { eol, unit };
}

function cellText(text: string, node: Node, before: Cell, after: Cell, style: Style): string {
  const [first, second] = node.children ?? [];
  const [key, value] = first?.children ?? [];
  if (!first || !key || !value) throw new Error('a cell without fields');
  const gap = text.slice(node.offset + 1, first.offset);
  const between = second ? text.slice(endOf(first), second.offset) : `,${gap}`;
  const colon = text.slice(endOf(key), value.offset);
  const fields = Object.entries(after).map(([name, now]) => {
    const same = now === before[name] ? fieldOf(node, name) : undefined;
    const words = same ? text.slice(same.offset, endOf(same)) : rendered(now, gap, style);
    return `${JSON.stringify(name)}${colon}${words}`;
  });
  return `{${gap}${fields.join(between)}${text.slice(endOf(node.children?.at(-1) ?? first), endOf(node))}`;
}

/** JSON behind a gap, whose last line says how far it is indented. */
function rendered(value: unknown, gap: string, { eol, unit }: Style): string {
  const [, indent] = /\n([ \t]*)$/.exec(gap) ?? [];
  if (indent === undefined) return JSON.stringify(value);
  return JSON.stringify(value, null, unit).replaceAll('\n', `${eol}${indent}`);
}

const endOf = ({ offset, length }: Node) => offset + length;

/** A field's value; of several of one name the last, as JSON.parse has it. */
function fieldOf(object: Node | undefined, name: string): Node | undefined {
  return object?.children?.filter(({ children }) => children?.[0]?.value === name).at(-1)?.children?.[1];
}
