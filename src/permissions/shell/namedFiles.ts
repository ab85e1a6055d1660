import { basename, resolve } from 'node:path';
import { pathsNamedBy } from './freeCommand.js';
import { layersOf, mayRunTail } from './runsOthers.js';
import { isKnown, type Part, UNKNOWN, type Word } from './script.js';

interface Place {
  readonly cwd: string;
  readonly home: string;
}

/** Programs whose every word may be a file, also one without a slash or a dot in it. */
const TAKES_FILES =
  /^(cp|mv|rm|rmdir|ln|tar|rg|zip|unzip|rsync|scp|install|chmod|chown|chgrp|truncate|touch|mkdir|tee|shred|unlink|patch|less|more|sort|base64|xxd|od|strings|tac|nl)$/;
/** Programs that change the files they name. */
const CHANGES_FILES =
  /^(cp|mv|rm|rmdir|ln|tee|touch|mkdir|chmod|chown|truncate|dd|install|rsync|patch|unlink|shred|ed|ex|split|csplit)$/;
const CHANGES =
  /\b(rm|rmdir|mv|cp|ln|tee|touch|mkdir|chmod|chown|truncate|dd|install|rsync|patch|unlink|shred|ed|ex|split|csplit)\b|\bg?sed\b.*-i|\bg?sed\b.*\bw\s|\bg?awk\b.*>|\bperl\b.*-\w*i|\btar\s+(--extract|--get|-?\w*x)|\bunzip\b|\bfind\b.*\s-(delete|fprint|fls)|\bgit\b.*\b(checkout|restore|apply|mv|stash)\b|\b(curl|wget|sort)\b.*\s(-\w*[oO]|--output)/s;

/** Whether the command looks like one that changes files that it names; generously. */
export function seemsToChange(text: string): boolean {
  return CHANGES.test(text);
}

/** Whether the program of the command, or of what it runs, is one that changes the files it names. */
export function changesFiles({ words }: Part): boolean {
  const [program, ...args] = (layersOf(words).at(-1) ?? []).map(({ text }) => text);
  const name = basename(program ?? '');
  if (CHANGES_FILES.test(name) || (/^(g?sed|perl)$/.test(name) && args.some((arg) => /^-\w*i|^--in-place/.test(arg))))
    return true;
  return mayRunTail(name) && args.some((arg) => CHANGES_FILES.test(basename(arg)));
}

/** Absolute paths of what a command's words may name: `npm test` is not about the folder `test`, `rm test` is. */
export function pathLikeWords(part: Part, { home }: Pick<Place, 'home'>): string[] {
  const { words, folders } = part;
  const named = [
    ...words
      .slice(1)
      .flatMap((word) => [word, ...valuesIn(word)])
      .filter(isPathLike),
    ...operandsIn(words),
  ];
  return folders.flatMap((folder) => pathsNamedBy({ words: [CAT, ...named.map(inFolder)] }, folder, home));
}

/** Patterns (absolute) among a command's words, for whoever can look what they name. */
export function patternsIn({ words, folders, redirects }: Part, { home }: Pick<Place, 'home'>): string[] {
  const patterns = [...words.slice(1), ...redirects.map(({ target }) => target)].filter(
    ({ text, isPattern = false }) => isPattern && !text.includes(UNKNOWN),
  );
  return folders.flatMap((folder) =>
    patterns.map(({ text }) => (text.startsWith('~/') ? resolve(home, text.slice(2)) : resolve(folder, text))),
  );
}

export function guessedPaths(command: string, { cwd, home }: Place): string[] {
  const words = command.replace(/['"\\]/g, '').split(/[\s;&|<>(){}`=,]+/);
  const named = words.map((text) => homeWord(text)).filter(isPathLike);
  return pathsNamedBy({ words: [CAT, ...named.map(inFolder)] }, cwd, home);
}

const CAT: Word = { text: 'cat' };
const isPathLike = ({ text }: Word) => /[/.~]/.test(text);
const valuesIn = ({ text }: Word): Word[] => text.split(/[\s;&|<>(){}`=,'"@]+/).map((piece) => homeWord(piece));
const homeWord = (text: string): Word => ({ text, isHome: /^~(\/|$)/.test(text) });
/** `$PWD/.env`: what stands in front is most likely where it works. */
const inFolder = (word: Word): Word => ({ ...word, text: word.text.replace(/^(\0|\$\{?\w+\}?)\//, './') });

/** The words of `cp`, of `git restore`, of `git checkout --`. */
function operandsIn(words: readonly Word[]): readonly Word[] {
  const at = words.findIndex(({ text }) => TAKES_FILES.test(basename(text)));
  if (at === 0 || (at > 0 && mayRunTail(basename(words[0]?.text ?? '')))) return words.slice(at + 1).filter(isKnown);
  if (basename(words[0]?.text ?? '') !== 'git') return [];
  const subcommand = words.findIndex(({ text }) => /^(restore|rm|mv)$/.test(text));
  const dashes = words.findIndex(({ text }) => text === '--');
  const from = subcommand > 0 ? subcommand : dashes;
  return from > 0 ? words.slice(from + 1).filter(isKnown) : [];
}
