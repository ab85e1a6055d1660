import type { Node } from 'web-tree-sitter';
import { type Part, UNKNOWN, type Word } from './script.js';
import { isWord, readWord, type WordWalk } from './words.js';

type Redirects = Part['redirects'];

export interface Redirected {
  readonly redirects: Redirects;
  /** `> file a b`: the grammar takes `a b` for more of the redirect, the shell for arguments. */
  readonly words: readonly Word[];
  /** What the command is given to read. */
  readonly fed?: readonly Word[];
}

const WRITES = new Set(['>', '>>', '>|', '&>', '&>>', '>&']);

/** `> file`, `2>&1`, `< file` … */
export function readFileRedirect(node: Node, walk: WordWalk): Redirected {
  const [descriptor, ...others] = node.children;
  const hasDescriptor = descriptor?.type === 'file_descriptor';
  if (hasDescriptor && !/^\d+$/.test(descriptor.text)) walk.doubt();
  const [operator, ...targets] = hasDescriptor ? others : node.children;
  const words = targets.filter(isWord).map((target) => readWord(target, walk));
  const [target, ...more] = words;
  const isJoined = targets.some((one, index) => one.startIndex === targets[index - 1]?.endIndex);
  if (words.length !== targets.length || isJoined) walk.doubt();
  const sign = operator?.type ?? '';
  if (sign === '>&-' || sign === '<&-') {
    if (target) walk.doubt();
    return { redirects: [], words: [] };
  }
  if (!target) {
    walk.doubt();
    return { redirects: [], words: [] };
  }
  if (/^[<>]&$/.test(sign) && /^(\d+-?|-)$/.test(target.text)) return { redirects: [], words: more };
  if (/^\/dev\/(tcp|udp)\//.test(target.text)) walk.doubt();
  if (sign !== '<' && !WRITES.has(sign)) walk.doubt();
  return { redirects: [{ kind: sign === '<' ? 'read' : 'write', target }], words: more };
}

/** `<<< word`. */
export function readHerestring(node: Node, walk: WordWalk): Word {
  const [, word, ...more] = node.children;
  if (word && isWord(word) && more.length === 0) return readWord(word, walk);
  walk.doubt();
  return NOBODY_KNOWS;
}

const NOBODY_KNOWS: Word = { text: UNKNOWN };

/** A document that follows the line: what is expanded in it, and whether it ends where the shell will end it. */
export function readHeredoc(node: Node, walk: WordWalk): Word {
  const [operator, start] = node.children;
  const body = node.children.find(({ type }) => type === 'heredoc_body');
  const end = node.children.find(({ type }) => type === 'heredoc_end');
  const [, quote, name] = /^(['"]?)(\w+)\1$/.exec(start?.text ?? '') ?? [];
  if (!end || !start || name === undefined || !endsThere(walk.source, start, end, name, operator?.type === '<<-')) {
    walk.doubt();
    return NOBODY_KNOWS;
  }
  if (!body || quote !== '') return { text: body?.text ?? '' };
  let text = '';
  let from = body.startIndex;
  const literal = (to: number) => {
    const piece = walk.source.slice(from, to);
    if (!/^(?:[^\\`$]|\\[^\n])*$/s.test(piece)) walk.doubt();
    text += piece;
  };
  for (const child of body.children) {
    if (child.type === 'heredoc_content') continue;
    literal(child.startIndex);
    if (isWord(child)) text += readWord(child, walk).text;
    else walk.doubt();
    from = child.endIndex;
  }
  literal(body.endIndex);
  return { text };
}

function endsThere(source: string, start: Node, end: Node, name: string, isIndented: boolean): boolean {
  let at = source.indexOf('\n', start.endIndex) + 1;
  // A string may go on over the end of the line; then nothing here is certain.
  if (at === 0 || /['"`]/.test(source.slice(start.endIndex, at))) return false;
  for (;;) {
    const next = source.indexOf('\n', at);
    const line = source.slice(at, next < 0 ? undefined : next);
    const text = isIndented ? line.replace(/^\t+/, '') : line;
    if (text === name) return end.startIndex >= at && end.endIndex <= at + line.length && end.text.trim() === name;
    if (next < 0) return false;
    at = next + 1;
  }
}
