import { basename } from 'node:path';

// Programs for which 1 is an answer ("nothing found", "they differ", "false") and not a failure.
const ANSWERS_WITH_ONE = new Set(['grep', 'rg', 'egrep', 'fgrep', 'find', 'diff', 'cmp', 'test', '[', '[[']);
const GIT_ANSWERS_WITH_ONE = new Set(['diff', 'grep']);

/** Whether a command's exit code says that it failed. The last program of the command decides. */
export function isFailure(command: string, exitCode: number): boolean {
  if (exitCode !== 1) return exitCode !== 0;
  const last =
    command
      .trim()
      .split(/\|\||&&|[;|&\n]/)
      .at(-1) ?? '';
  const [program = '', sub = ''] = last
    .trim()
    .split(/\s+/)
    .filter((word) => !/^\w+=/.test(word));
  if (program === 'git') return !GIT_ANSWERS_WITH_ONE.has(sub);
  return !ANSWERS_WITH_ONE.has(basename(program));
}
