import { basename } from 'node:path';
import { type Behavior, matchesWildcards, type Rule } from './rule.js';
import { parseSimpleCommand } from './simpleCommand.js';

/**
 * Whether a `Bash(pattern)` rule matches a command. An allow rule matches one simple command, as written and as the
 * shell will read it, or exactly its own text; a deny or ask rule anything that may run such a command in any part.
 */
export function matchesCommand(rule: Rule, command: string, behavior: Behavior): boolean {
  const { specifier } = rule;
  if (specifier === undefined) return true;
  if (behavior !== 'allow') return everyReading(command).some((reading) => matchesWildcards(specifier, reading));
  const text = command.trim();
  if (!specifier.includes('*') && specifier === text) return true;
  const simple = parseSimpleCommand(command);
  if (simple === undefined) return false;
  const words = simple.words.map((word) => word.text).join(' ');
  return matchesWildcards(specifier, text.replace(/[ \t]+/g, ' ')) && matchesWildcards(specifier, words);
}

const SEPARATORS = /[;&|\n\r<>(){}`]|\$\(/;
const RUNS_ANOTHER = new Set(
  (
    'env command builtin exec eval nohup nice ionice timeout time stdbuf setsid sudo doas xargs parallel watch chroot unshare ' +
    'flock script strace busybox find sh bash dash zsh ksh fish noglob then else do if while until !'
  ).split(' '),
);
const GIT_OPTION_WITH_VALUE = new Set([
  '-C',
  '-c',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--config-env',
  '--exec-path',
]);

/**
 * Every simple command that may be hidden in this one, generously: split at whatever could be an operator, with quotes
 * read as quotes and as separators, and what stands behind a program that runs others.
 */
function everyReading(command: string): string[] {
  const joined = command.replace(/\\\r?\n/g, '');
  const readings = [joined.trim()];
  const simple = parseSimpleCommand(joined);
  if (simple) readings.push(...readingsOf(simple.words.map(({ text }) => text)));
  for (const text of [joined.replace(/['"\\]/g, ''), joined.replace(/['"\\]/g, ';')]) {
    for (const part of text.split(SEPARATORS)) readings.push(...readingsOf(part.split(/[ \t]+/)));
  }
  return readings;
}

function readingsOf(all: readonly string[]): string[] {
  const words = [...all.filter((word) => word !== '')];
  while (words[0] !== undefined && /^(!+|[A-Za-z_]\w*\+?=.*)$/s.test(words[0])) words.shift();
  const [named, ...rest] = words;
  if (named === undefined) return [];
  const program = basename(named.replace(/^!+/, ''));
  const readings = [words.join(' '), [program, ...rest].join(' ')];
  if (program === 'git') readings.push(['git', ...withoutGitOptions(rest)].join(' '));
  if (RUNS_ANOTHER.has(program))
    for (let start = 0; start < rest.length; start++) readings.push(...tailReadings(rest.slice(start)));
  return readings;
}

function tailReadings([named = '', ...rest]: readonly string[]): string[] {
  const program = basename(named);
  return [
    [named, ...rest].join(' '),
    [program, ...rest].join(' '),
    ...(program === 'git' ? [['git', ...withoutGitOptions(rest)].join(' ')] : []),
  ];
}

function withoutGitOptions(words: readonly string[]): readonly string[] {
  let at = 0;
  for (let word = words[at]; word?.startsWith('-'); word = words[at]) at += GIT_OPTION_WITH_VALUE.has(word) ? 2 : 1;
  return words.slice(at);
}
