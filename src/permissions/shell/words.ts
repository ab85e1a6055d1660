import type { Node } from 'web-tree-sitter';
import { NUMBER, UNKNOWN, type Word } from './script.js';

/** What the reading of words needs of the walk through the whole command. */
export interface WordWalk {
  readonly source: string;
  /** Something is not read for certain. */
  doubt(): void;
  /** A `$(…)`, `` `…` `` or `<(…)`: its commands are parts too. */
  substitution(node: Node): void;
  /** A node that is in doubt, for the commands in it. */
  descend(node: Node): void;
}

/** A piece of a word; in `shape` a quoted or escaped character is a `q`. */
interface Piece {
  readonly text: string;
  readonly shape: string;
  readonly isStream?: boolean;
}

const WORDS = new Set([
  ...['word', 'number', 'string', 'raw_string', 'ansi_c_string', 'concatenation', 'simple_expansion', 'expansion'],
  ...['command_substitution', 'process_substitution', 'arithmetic_expansion'],
]);

export const isWord = ({ type }: Node): boolean => WORDS.has(type);

/** A word as the shell will see it. */
export function readWord(node: Node, walk: WordWalk): Word {
  const { text, shape, isStream = false } = piecesOf(node, walk);
  // `{a,b}` makes several words of one.
  const isSeveral = makesSeveral(shape);
  if (isSeveral) walk.doubt();
  const isHome = /^~(\/|$)/.test(shape);
  const isPattern = isSeveral || /[*?[]|[=:]~/.test(shape) || (shape.startsWith('~') && !isHome);
  return { text, ...(isPattern && { isPattern }), ...(isHome && { isHome }), ...(isStream && { isStream }) };
}

/** A `,` or `..` between the first `{` and the last `}`. */
function makesSeveral(shape: string): boolean {
  const inside = shape.slice(shape.indexOf('{') + 1, shape.lastIndexOf('}') + 1);
  return shape.includes('{') && /,|\.\./.test(inside);
}

function piecesOf(node: Node, walk: WordWalk): Piece {
  switch (node.type) {
    case 'word':
    case 'number':
      return plain(node, walk);
    case 'raw_string':
      return /^'[^']*'$/s.test(node.text) ? quoted(node.text.slice(1, -1)) : doubtful(node, walk);
    case 'ansi_c_string':
      return ansi(node, walk);
    case 'string':
      return string(node, walk);
    case 'concatenation':
      return concatenation(node, walk);
    case 'simple_expansion':
      if (/^\$[?#]$/.test(node.text)) return { text: NUMBER, shape: 'q' };
      return /^\$(\w+|[@*#?$!-])$/.test(node.text) ? unknown() : doubtful(node, walk);
    case 'expansion':
      return /^\$\{\w+\}$/.test(node.text) ? unknown() : doubtful(node, walk);
    case 'arithmetic_expansion':
      // A variable's value would be evaluated, commands in it included.
      return /^\$\(\([\d\s+*/%()<>=!&|^~?:,-]*\)\)$/.test(node.text) ? unknown() : doubtful(node, walk);
    case 'command_substitution':
      walk.substitution(node);
      return unknown();
    case 'process_substitution':
      walk.substitution(node);
      return { ...unknown(), isStream: true };
    default:
      return doubtful(node, walk);
  }
}

const quoted = (text: string): Piece => ({ text, shape: 'q'.repeat(Math.max(text.length, 1)) });
const unknown = (): Piece => ({ text: UNKNOWN, shape: 'q' });

function doubtful(node: Node, walk: WordWalk): Piece {
  walk.doubt();
  walk.descend(node);
  return unknown();
}

function plain(node: Node, walk: WordWalk): Piece {
  const { text } = node;
  if (!/^(?:[^\s'"\\`$;&|<>()#]|\\[^\n]|(?<!^)#)+$/.test(text)) return doubtful(node, walk);
  return { text: text.replace(/\\(.)/gs, '$1'), shape: reflogAside(text.replace(/\\./gs, 'q')) };
}

/** `stash@{0}` means itself. */
const reflogAside = (shape: string) => shape.replace(/@\{[^,{}]*\}/g, (found) => 'q'.repeat(found.length));

function concatenation(node: Node, walk: WordWalk): Piece {
  let [text, shape, end] = ['', '', node.startIndex];
  for (const child of node.children) {
    if (child.startIndex !== end) walk.doubt();
    const piece = piecesOf(child, walk);
    if (piece.isStream) walk.doubt();
    [text, shape, end] = [text + piece.text, shape + piece.shape, child.endIndex];
  }
  return { text, shape: reflogAside(shape) };
}

const LITERAL = /^(?:[^"\\`$]|\\[\s\S])*$/;

function string(node: Node, walk: WordWalk): Piece {
  if (!/^".*"$/s.test(node.text)) return doubtful(node, walk);
  const last = node.endIndex - 1;
  let text = '';
  let from = node.startIndex + 1;
  const literal = (to: number) => {
    const part = walk.source.slice(from, to);
    if (!LITERAL.test(part)) walk.doubt();
    text += part.replace(/\\\n/g, '').replace(/\\(["\\$`])/g, '$1');
  };
  for (const child of node.children) {
    if (child.type === '"' || child.type === 'string_content') continue;
    literal(child.startIndex);
    if (child.type === '$') {
      if (!/^["\s]$/.test(walk.source.charAt(child.endIndex))) walk.doubt();
      text += '$';
    } else {
      text += piecesOf(child, walk).text;
    }
    from = child.endIndex;
  }
  literal(last);
  return quoted(text);
}

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ n: '\n', t: '\t', r: '\r', v: '\v', f: '\f', b: '\b', a: '\x07', e: '\x1b', E: '\x1b' },
  ...{ '\\': '\\', "'": "'", '"': '"', '?': '?' },
};
const ESCAPE = /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|(.))/gs;
const LAST_CODE = 0x10ffff;

/** `$'…'`: a word that may be written without any of its letters. */
function ansi(node: Node, walk: WordWalk): Piece {
  const [, inner] = /^\$'((?:[^'\\]|\\.)*)'$/s.exec(node.text) ?? [];
  if (inner === undefined) return doubtful(node, walk);
  const text = inner.replace(
    ESCAPE,
    (_, hex?: string, unicode?: string, long?: string, octal?: string, letter = '') => {
      const code = hex ?? unicode ?? long;
      if (code !== undefined) return String.fromCodePoint(Math.min(Number.parseInt(code, 16), LAST_CODE));
      if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8) & 0xff);
      if (!Object.hasOwn(ESCAPES, letter)) walk.doubt();
      return ESCAPES[letter] ?? '';
    },
  );
  // Bash ends the word at a NUL, and makes bytes of what is beyond ASCII.
  if (/[^\x01-\x7f]/.test(text) && text !== inner) walk.doubt();
  return quoted(text.replace(/[\0\x02]/g, ''));
}
