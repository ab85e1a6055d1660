import { resolve } from 'node:path';
import { isFreeGit } from './freeGit.js';
import { isKnown, UNKNOWN, type Word } from './script.js';

/** A program and its arguments. */
export interface SimpleCommand {
  readonly words: readonly Word[];
}

/** Programs that only read, with the arguments that make them do more (the reference's "always free" list). */
const FREE: Readonly<Record<string, (args: readonly string[]) => boolean>> = {
  ls: () => true,
  cat: () => true,
  echo: () => true,
  pwd: () => true,
  head: () => true,
  tail: () => true,
  grep: () => true,
  wc: () => true,
  which: () => true,
  diff: () => true,
  stat: () => true,
  du: () => true,
  // `cd -` goes wherever a variable says.
  cd: (args) => !args.includes('-'),
  find: (args) => !args.some((arg) => /^-(delete|exec|ok|fprint|fls)/.test(arg)),
  git: isFreeGit,
  // What conditions and lists are made of, and what only says where a program is.
  ':': () => true,
  true: () => true,
  false: () => true,
  command: ([option = '']) => /^-[vV]$/.test(option),
  test: (args) => args.every((arg) => isPlainTest(arg) || INTEGERS.test(arg)),
  '[': (args) => args.every((arg) => isPlainTest(arg) || INTEGERS.test(arg)),
  '[[': (args) => args.every(isPlainTest),
};
const READS_NOTHING = new Set(['echo', 'pwd', 'which', ':', 'true', 'false', 'command']);

/** What a number (`$?`) can be given to: it names no file to them. */
const SHOWS = new Set(['echo', 'test', '[', '[[']);
const isNumber = ({ text, isPattern = false }: Word) => !isPattern && !text.includes(UNKNOWN);

/** `-v a[$(x)]` runs x, and `[[ … -eq … ]]` evaluates what it is given. */
const isPlainTest = (arg: string) => !arg.startsWith('-') || /^-([abdefghknoprstuwxzGLNOS]|nt|ot|ef)$/.test(arg);
const INTEGERS = /^-(eq|ne|lt|le|gt|ge|\d+)$/;

/** Whether a simple command changes nothing whatever it is pointed at, so that only what it reads needs a permission. */
export function isFreeCommand({ words }: SimpleCommand): boolean {
  const [program, ...args] = words;
  if (program === undefined || program.isStream) return false;
  const isFine = (word: Word) => isKnown(word) || word.isStream || (SHOWS.has(program.text) && isNumber(word));
  if (!words.every((word) => isFine(word) && !climbsOut(word.text))) return false;
  return Object.hasOwn(FREE, program.text) && FREE[program.text]?.(args.map(({ text }) => text)) === true;
}

/** Whether it shows the contents of files that it does not name, so that no rule can be held against their paths. */
export function readsWholeFolders({ words }: SimpleCommand): boolean {
  const [program, ...args] = words.map(({ text }) => text);
  return program === 'diff' || (program === 'grep' && args.some((arg) => /^-([A-Za-z]*[rRd]|-(r|dir|der))/.test(arg)));
}

/** `a/..` is `a`'s real parent to the system, and nothing at all on paper. */
const climbsOut = (text: string) => /[^/.][^/]*\/+\.\.(\/|$)/.test(text);

/** Absolute paths of whatever a command's words may name, values of options included; a word too many does no harm. */
export function pathsNamedBy({ words }: SimpleCommand, cwd: string, home: string): string[] {
  const [program, ...args] = words;
  if (program === undefined) return [];
  if (program.text === 'cd' && args.length === 0) return [home];
  if (READS_NOTHING.has(program.text)) return [];
  const skipped = program.text === 'grep' ? searchPattern(args) : undefined;
  const paths = args.filter((word) => word !== skipped).flatMap((word) => pathsIn(word, cwd, home));
  return [...new Set(paths)];
}

function pathsIn(word: Word, cwd: string, home: string): string[] {
  const text = word.isPattern ? knownFolder(word.text) : word.text;
  if (word.isStream || /[\0\x02]/.test(text)) return [];
  if (word.isHome) return [resolve(home, `.${text.slice(1)}`)];
  const parts = text.startsWith('-') ? optionValues(text) : [text, ...text.split(':').slice(1)];
  return parts.filter((part) => part !== '').map((part) => resolve(cwd, part));
}

/** Where a pattern is looked for: `src/*.ts` in `src`. */
const knownFolder = (text: string) => text.replace(/[^/]*[*?[].*$/s, '') || '.';

function optionValues(option: string): string[] {
  const equals = option.indexOf('=');
  const slash = option.search(/[/~]|\.\./);
  return [
    ...(equals < 0 ? [] : [option.slice(equals + 1)]),
    ...(slash < 0 ? [] : [option.slice(slash)]),
    ...(option.startsWith('--') ? [] : [option.slice(2)]),
  ];
}

/** The word that grep takes for a pattern rather than a file, where that is beyond doubt. */
function searchPattern(args: readonly Word[]): Word | undefined {
  const isPlain = ({ text }: Word) => /^-[rRnilLcwvEFPohHsqaIxz]+$/.test(text);
  const first = args.findIndex((word) => !isPlain(word));
  const pattern = args[first];
  const isCertain = args.slice(first).every((word) => !word.text.startsWith('-') || isPlain(word));
  return isCertain && !pattern?.isHome ? pattern : undefined;
}
