import { constants } from 'node:os';
import { basename } from 'node:path';
import type { Exit } from '../../../host/run.js';

// Programs for which 1 is an answer ("nothing found", "they differ", "false") and not a failure.
const ANSWERS_WITH_ONE = new Set(['grep', 'rg', 'egrep', 'fgrep', 'find', 'diff', 'cmp', 'test', '[', '[[']);
const GIT_ANSWERS_WITH_ONE = new Set(['diff', 'grep']);

/** Whether a command's exit code says that it failed. The last program of the command decides. */
export function isFailure(command: string, exitCode: number): boolean {
  if (exitCode !== 1) return exitCode !== 0;
  const [program = '', ...rest] = lastOf(command)
    .split(/\s+/)
    .filter((word) => word !== '' && word !== '!' && !/^\w+=/.test(word));
  if (program === 'git') return !GIT_ANSWERS_WITH_ONE.has(gitCommand(rest));
  return !ANSWERS_WITH_ONE.has(basename(program));
}

/** The last simple command, without its redirects; what is quoted is one letter, and divides nothing. */
function lastOf(command: string): string {
  const last = command
    .replace(/\\[\s\S]|'[^']*'|"(?:\\[\s\S]|[^"\\])*"/g, 'q')
    .replace(/(^|\s)#.*$/gm, '')
    .replace(/(\d*|&)[<>]+[&|]?\s*[^\s;|&<>()]+/g, ' ')
    .replace(/[\s;)}]+$/, '')
    .split(/[;|&\n]/)
    .at(-1);
  return (last ?? '').replace(/^[\s({]+/, '');
}

/** `diff` of `--no-pager -C folder diff`. */
function gitCommand(words: readonly string[]): string {
  const [word = '', ...rest] = words;
  if (!word.startsWith('-')) return word;
  return gitCommand(word === '-C' || word === '-c' ? rest.slice(1) : rest);
}

/** As a shell gives it: a program that a signal ended has 128 and the signal's number. */
export function codeOf({ code, signal }: Exit): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}
