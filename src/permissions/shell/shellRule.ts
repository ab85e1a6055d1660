import { basename } from 'node:path';
import { matchesWildcards, type Rule } from '../rule.js';
import { splitGit } from './freeGit.js';
import { mayMatchWildcards } from './mayMatch.js';
import { layersOf, runsOthers, tailsBehind } from './runsOthers.js';
import { isKnown, NUMBER, type Part, type Script, UNKNOWN, type Word } from './script.js';

/** Whether an allow rule is for every command, or for exactly this text, whatever the shell makes of it. */
export function allowsText({ specifier }: Rule, text: string): boolean {
  return specifier === undefined || (!specifier.includes('*') && specifier === text.trim());
}

const unknownIn = (text: string) => text.replaceAll(NUMBER, UNKNOWN);

/** In a word a blank is none that a rule means by one: `"npm test" x` is not `npm test x`. */
const lineOf = (words: readonly Word[]) => words.map(({ text }) => unknownIn(text).replace(/\s/g, '\x01')).join(' ');

/**
 * Whether an allow rule covers one command of a script, as it stands or without a wrapper. One that runs others is
 * covered word for word only.
 */
export function allowsPart(rule: Rule, { words, assignments }: Part): boolean {
  const { specifier } = rule;
  if (specifier === undefined) return true;
  const layers = layersOf(words);
  const isFixed = runsOthers(layers.at(-1) ?? []);
  if (isFixed && specifier.includes('*')) return false;
  const lines = [...layers, [...assignments.map(({ word }) => word), ...words]].filter((layer) => {
    const program = layer.find(({ text }) => !/^\w+=/.test(text));
    return program !== undefined && isKnown(program);
  });
  return lines.map(lineOf).some((line) => matchesWildcards(specifier, line));
}

/** How a deny or ask rule stands to a script: it speaks of it, it may (a variable decides), or neither. */
export function touchesScript({ specifier }: Rule, script: Script): 'yes' | 'maybe' | 'no' {
  if (specifier === undefined) return 'yes';
  const lines = linesOf(script);
  if (lines.some((line) => matchesWildcards(specifier, line))) return 'yes';
  return lines.some((line) => line.includes(UNKNOWN) && mayMatchWildcards(specifier, line)) ? 'maybe' : 'no';
}

/** Every command that is or may be in the script, in each way that a rule may put it. */
function linesOf({ text, parts, hidden, isUnderstood }: Script): string[] {
  const lines = [...parts, ...hidden].flatMap(({ words, assignments }) => [
    ...readingsOf(words.map(textOf)),
    ...(assignments.length > 0 ? [[...assignments.map(({ word }) => word), ...words].map(textOf).join(' ')] : []),
  ]);
  return [text.trim(), ...lines, ...(isUnderstood ? [] : guessesOf(text))];
}

const PATTERNS = /[*?]|\[[^\]]*\]?|\{.*\}/gs;
/** What the shell would put something else in for. */
const EXPANSIONS = /\$\{[^{}]*\}|\$\w+|\$[@*]|\{[^{}\s]*\}|\[[^[\]\s]*\]|[*?]/g;

const textOf = ({ text, isPattern = false }: Word) =>
  isPattern ? unknownIn(text).replace(PATTERNS, UNKNOWN) : unknownIn(text);

function readingsOf(words: readonly string[]): string[] {
  const [named, ...rest] = words;
  if (named === undefined) return [];
  const program = basename(named);
  return [...nameReadings(words), ...tailsBehind(program, rest).flatMap(nameReadings)];
}

function nameReadings([named = '', ...rest]: readonly string[]): string[] {
  const program = basename(named);
  // A file system without cases takes `RM` for `rm`.
  const names = new Set([named, program, program.toLowerCase()]);
  return [
    ...[...names].map((name) => [name, ...rest].join(' ')),
    ...(program === 'git' ? [['git', ...splitGit(rest).rest].join(' ')] : []),
  ];
}

const SEPARATORS = /[;&|\n\r<>(){}`]|\$\(/;
const KEYWORDS = new Set('then else elif do if while until ! coproc'.split(' '));

/**
 * What may be in a command that nobody understands, generously: split at whatever could be an operator, with quotes
 * read as quotes and as separators, and with what the shell puts in left open.
 */
function guessesOf(command: string): string[] {
  const joined = command.replace(/\\\r?\n/g, '');
  const plain = joined.replace(/\$?['"]|\\/g, '');
  return [plain, joined.replace(/['"\\]/g, ';'), plain.replace(EXPANSIONS, UNKNOWN)]
    .flatMap((text) => text.split(SEPARATORS))
    .flatMap((part) => readingsOf(withoutPrefix(part.split(/\s+/))));
}

function withoutPrefix(all: readonly string[]): readonly string[] {
  const words = all.filter((word) => word !== '');
  const first = words.findIndex((word) => !KEYWORDS.has(word) && !/^[A-Za-z_]\w*\+?=/.test(word));
  return first < 0 ? [] : words.slice(first);
}
