import { basename } from 'node:path';
import { splitGit } from './freeGit.js';
import { runsByOption } from './optionsThatRun.js';
import { mayRunTail, readsCommands, SHELLS } from './runsOthers.js';
import { type Part, UNKNOWN, type Word } from './script.js';

/** What a command may hand to a shell or to the system, beside what it is itself. */
export interface Hidden {
  /** Texts that a shell would read. */
  readonly texts: readonly string[];
  /** It also runs something of which nothing is known: what is piped into `sh`. */
  readonly isOpen: boolean;
}

/** Programs that run a string of theirs, but not whatever stands behind them. */
const TAKE_STRINGS = new Set(
  (
    'ssh docker podman kubectl npx npm nix-shell script tmux screen hyperfine watchexec nodemon concurrently crontab ' +
    'vagrant capsh sg runuser'
  ).split(' '),
);
/** Builtins that evaluate what looks like an array's index, commands in it included. */
const EVALUATE = new Set(
  'let declare typeset local export readonly unset read wait mapfile readarray test [ [['.split(' '),
);
/** Programs that are given a program in another language, which may start others from its strings. */
const INTERPRETERS =
  /^([gmn]?awk|perl|python[\d.]*|node|deno|bun|ruby|php|lua|Rscript|tclsh|expect|osascript|n?vim?|ex|ed|emacs|gdb|lldb|sqlite3|psql|mysql|m4|g?sed)$/;
/** Variables whose value is a command to whoever reads them. */
const HOLDS_COMMAND =
  /^(.*(EDITOR|PAGER|_COMMAND|ASKPASS)|BROWSER|VISUAL|LESSOPEN|LESSCLOSE|GIT_SSH|GIT_EXTERNAL_DIFF|GIT_CONFIG_VALUE_\d+|PS[0-4]|SHELL|BASH_ENV|ENV)$/;
const MOST_TEXTS = 64;

export function hiddenIn(part: Part): Hidden {
  const { fed = [] } = part;
  const [program, ...args] = part.words.map(({ text }) => text);
  const name = basename(program ?? '');
  const held = heldIn(part);
  const given = fed.map(({ text }) => text);
  const readsInput = readsCommands(part.words);
  const fromInput = readsInput ? given.filter((text) => !text.includes(UNKNOWN)) : [];
  const all = [...held, ...stringsIn(name, args, part.words), ...fromInput, ...codeIn(name, [...args, ...given])];
  const texts = [...new Set(all)].filter((text) => text.trim() !== '' && !text.includes(UNKNOWN));
  return {
    texts: texts.slice(0, MOST_TEXTS),
    isOpen:
      texts.length > MOST_TEXTS ||
      (readsInput && (fed.length === 0 || fromInput.length < fed.length)) ||
      held.some((text) => text.includes(UNKNOWN)) ||
      handsOnInput(name, args),
  };
}

/** What is put into variables such as `GIT_PAGER`. */
function heldIn({ words, assignments }: Part): string[] {
  return [...assignments.map(({ word }) => word.text), ...words.map(({ text }) => text)].flatMap((text) => {
    const [, variable = '', value = ''] = /^(\w+)\+?=(.*)$/s.exec(text) ?? [];
    return HOLDS_COMMAND.test(variable) ? [value] : [];
  });
}

function stringsIn(name: string, args: readonly string[], words: readonly Word[]): string[] {
  if (EVALUATE.has(name) || (name === 'printf' && args[0] === '-v')) return args.filter((arg) => /\$\(|`/.test(arg));
  if (name === 'alias') return args.flatMap((arg) => arg.split('=').slice(1));
  const runs = runsByOption(name, args);
  if (!mayRunTail(name) && !TAKE_STRINGS.has(name) && !runs && name !== 'git') return [];
  const candidates = name === 'git' && !runs ? splitGit(args).options : args;
  const values = candidates.flatMap((arg) => arg.split('=').slice(1));
  const strings = candidates
    .flatMap((arg) => [
      arg,
      arg.replace(/^-\w/, ''),
      arg.replace(/^[^=]*=!/, ''),
      arg.replace(/^(\+?!|ext::|"[^"]*":)/, ''),
    ])
    .concat(values)
    .filter((text) => /[\s;&|$`(<>]/.test(text));
  const isEval = name === 'eval' || words.some(({ text }) => text === 'eval');
  return [...strings, ...(runs ? values : []), ...(isEval ? [args.join(' ')] : [])];
}

/** The strings in a program of another language, and what stands behind its ways to call a shell. */
function codeIn(name: string, texts: readonly string[]): string[] {
  if (!INTERPRETERS.test(name)) return [];
  return texts.flatMap((text) => [
    ...[...text.matchAll(/(["'`])((?:\\.|(?!\1).)*)\1/gs)].map(([, , inner = '']) => inner),
    ...[...text.matchAll(/(?:!|\.shell\b|\bshell\b|\bsyscmd\b|\bspawn\b|\bsystem\b)[\s(]*([^)\n]+)/g)].map(
      ([, behind = '']) => behind,
    ),
    ...(/^g?sed$/.test(name) ? [...text.matchAll(/(?:^|[\d$/;{\s])e\s+([^;}\n]+)/g)].map(([, run = '']) => run) : []),
    ...(/^g?sed$/.test(name)
      ? [...text.matchAll(/s(.)(?:(?!\1).)*\1((?:(?!\1).)*)\1\w*e/gs)].map(([, , run = '']) => run)
      : []),
  ]);
}

/** `xargs env`, `xargs -I% % a`, `parallel`: what comes in is, or begins, a command. */
function handsOnInput(name: string, args: readonly string[]): boolean {
  if (name !== 'xargs' && name !== 'parallel') return false;
  const last = basename(args.at(-1) ?? '');
  if (mayRunTail(last) || SHELLS.has(last) || (name === 'parallel' && args.every((arg) => arg.startsWith('-'))))
    return true;
  const option = args.findIndex((arg) => /^(-I|-i|--replace)/.test(arg));
  if (option < 0) return false;
  const [, attached = ''] = /^(?:-I|-i|--replace=?)(.*)$/s.exec(args[option] ?? '') ?? [];
  const mark = attached !== '' ? attached : args[option] === '-I' ? (args[option + 1] ?? '{}') : '{}';
  const rest = args.slice(option + (args[option] === '-I' ? 2 : 1));
  return rest.find((arg) => !arg.startsWith('-'))?.includes(mark) === true;
}
