/** A command without any shell grammar: words, what they look like and whether the shell would still expand them. */
export interface SimpleCommand {
  readonly words: readonly Word[];
}

export interface Word {
  /** Without quotes and backslashes. */
  readonly text: string;
  /** An unquoted `*`, `?`, `[`, `{` or a `~` that is not simply the home: what it names is not known here. */
  readonly isPattern: boolean;
  /** Begins with an unquoted `~`, alone or before a `/`. */
  readonly isHome: boolean;
}

const RESERVED = new Set(
  '! { } [[ ]] if then else elif fi case esac for select while until do done in function time coproc'.split(' '),
);
const LONGEST = 10_000;

/**
 * The words of exactly one simple command, or `undefined` when there is anything more to it (operators, redirects,
 * expansions, substitutions, comments, assignments, a newline between words) or it is longer than 10,000 characters.
 */
export function parseSimpleCommand(command: string): SimpleCommand | undefined {
  if (command.length > LONGEST || command.includes('\0')) return undefined;
  const words: Word[] = [];
  // Not trim(): to bash a carriage return is part of a word.
  let rest = command.replace(/^[ \t\n]+|[ \t\n]+$/g, '');
  while (rest !== '') {
    const word = takeWord(rest);
    if (word === undefined) return undefined;
    words.push(word.word);
    rest = word.rest.replace(/^[ \t]+/, '');
  }
  const [first] = words;
  if (first === undefined || first.text === '' || RESERVED.has(first.text)) return undefined;
  if (/^[A-Za-z_]\w*(\[.*\])?\+?=/s.test(first.text)) return undefined;
  return { words };
}

const PLAIN = /^[^\s'"\\`$;&|<>()#*?[{~]+/;
const SINGLE = /^'([^']*)'/;
const DOUBLE = /^"((?:[^"\\$`]|\\[^\n])*)"/;

function takeWord(source: string): { word: Word; rest: string } | undefined {
  let text = '';
  let isPattern = false;
  let isHome = false;
  let rest = source;
  while (rest !== '' && !/^[ \t]/.test(rest)) {
    const isStart = rest === source;
    const [piece] = PLAIN.exec(rest) ?? SINGLE.exec(rest) ?? DOUBLE.exec(rest) ?? [];
    if (piece !== undefined) {
      text += unquoted(piece);
      rest = rest.slice(piece.length);
    } else if (/^\\[^\n]/.test(rest)) {
      text += rest.slice(1, 2);
      rest = rest.slice(2);
    } else if (/^[*?[{~]/.test(rest) || (rest.startsWith('#') && !isStart)) {
      if (isStart && /^~(\/|[ \t]|$)/.test(rest)) isHome = true;
      // HEAD~2, stash@{0} and a#b mean themselves.
      else if (!/[\w^)]$/.test(text) || !rest.startsWith('~'))
        isPattern ||= !rest.startsWith('#') && !isReflog(text, rest);
      text += rest.slice(0, 1);
      rest = rest.slice(1);
    } else {
      return undefined;
    }
  }
  return { word: { text, isPattern, isHome }, rest };
}

const isReflog = (before: string, rest: string) =>
  before.endsWith('@') && /^\{[^,{}]*\}/.test(rest) && !rest.includes('..');

function unquoted(piece: string): string {
  if (piece.startsWith("'")) return piece.slice(1, -1);
  if (piece.startsWith('"')) return piece.slice(1, -1).replace(/\\(["\\$`])/g, '$1');
  return piece;
}
