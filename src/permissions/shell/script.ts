/** Stands in a word for what only the shell will know: a variable, the output of a command. No command may hold it. */
export const UNKNOWN = '\0';

/** Stands for a number that only the shell will know: `$?`. */
export const NUMBER = '\x02';

export interface Word {
  /** Without quotes and backslashes; `UNKNOWN` or `NUMBER` for each part that is not known. */
  readonly text: string;
  /** An unquoted `*`, `?`, `[` or a `~` that is not simply the home: what it names is not known here. */
  readonly isPattern?: boolean;
  /** Begins with an unquoted `~`, alone or before a `/`. */
  readonly isHome?: boolean;
  /** `<(…)` or `>(…)`: a stream between two commands, not a file. */
  readonly isStream?: boolean;
}

export interface Assignment {
  readonly name: string;
  /** `NAME=value`. */
  readonly word: Word;
  /** For the shell itself, not for the one command behind it. */
  readonly isStatement: boolean;
}

/** One command of a script, with what the shell does for it. */
export interface Part {
  /** The program and its arguments; none where the shell itself does all: `> file`, `x=1`. */
  readonly words: readonly Word[];
  readonly assignments: readonly Assignment[];
  readonly redirects: readonly { readonly kind: 'read' | 'write'; readonly target: Word }[];
  /** What it is given to read: `<<< text`, `<<EOF`. */
  readonly fed?: readonly Word[];
  /** Each folder (absolute) that it may run in: where it starts, or where a `cd` before it led. */
  readonly folders: readonly string[];
}

/** What a shell command consists of. */
export interface Script {
  readonly text: string;
  /** Every command that is certain to be in it, wherever it stands. */
  readonly parts: readonly Part[];
  /** What the programs among them may run in turn: the strings that `sh -c`, `eval` and their like are given. */
  readonly hidden: readonly Part[];
  /** Whether `parts` is all that the shell will run. If not, nothing but a rule for the very text allows it. */
  readonly isUnderstood: boolean;
}

export const isKnown = ({ text, isPattern = false }: Word): boolean => !isPattern && !/[\0\x02]/.test(text);

/** A script of which nothing is known. */
export function unread(text: string): Script {
  return { text, parts: [], hidden: [], isUnderstood: false };
}
