import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { defineTool } from '../agent/tool.js';
import { ToolError } from '../util/errors.js';
import { newestFirst } from './support/files/newest.js';
import { absolutePath, judgedPaths, missingPath, realPathOf, shownPath } from './support/files/paths.js';
import { globAdvice } from './support/globs.js';
import { ripgrep } from './support/ripgrep.js';

const MOST_FILES = 100;

const Input = z.object({
  pattern: z.string().check(z.minLength(1), z.describe('Such as src/**/*.ts')),
  path: z.optional(z.string().check(z.describe('Folder to search; the working directory when absent'))),
});

export const globTool = defineTool({
  name: 'Glob',
  description: `Finds files by name, newest first, at most ${MOST_FILES}.`,
  input: Input,
  isReadOnly: true,
  access: (input, { cwd }) => ({ kind: 'read', paths: judgedPaths(startOf(input, cwd).folder) }),
  async call(input, { cwd, signal, mayRead = () => true }) {
    const { folder, pattern } = startOf(input, cwd);
    const root = realPathOf(folder);
    const found = await stat(root).catch(() => undefined);
    if (found === undefined) throw new ToolError(await missingPath(folder));
    if (!found.isDirectory())
      throw new ToolError(`${folder} is not a folder. Give the folder as path and the file name as pattern.`);
    const newest: string[] = [];
    let count = 0;
    for await (const path of filesIn(root, pattern, signal)) {
      if (!mayRead(path)) continue;
      if (newest.length < MOST_FILES) newest.push(path);
      count++;
    }
    if (count === 0) return `No file matches ${pattern} in ${folder}.${globAdvice(pattern)}`;
    const more =
      count > MOST_FILES
        ? [`[The newest ${MOST_FILES} of ${count}. Narrow the pattern or the path to see others.]`]
        : [];
    // What is of the same moment comes by name.
    return [...(await newestFirst(newest, (path) => path)).map(shownPath), ...more].join('\n');
  },
});

/** Newest first. Memory stays within what is taken of them. */
async function* filesIn(root: string, pattern: string, signal: AbortSignal): AsyncGenerator<string> {
  if (/[!@+*?]\(/.test(pattern)) {
    yield* await extendedGlob(root, pattern, signal);
    return;
  }
  const args = [
    ...['--files', '--hidden', '--no-ignore', '--null', '--sortr=modified'],
    ...[`--glob=/${pattern.replace(/^(\.\/)+/, '')}`, '--glob=!.git', '--', root],
  ];
  yield* ripgrep(args, { cwd: root, signal, separator: '\0' });
}

/** `@(a|b)` and its like, which ripgrep does not know. */
async function extendedGlob(root: string, pattern: string, signal: AbortSignal): Promise<string[]> {
  const { glob } = await import('tinyglobby');
  const names = await glob(pattern, {
    cwd: root,
    dot: true,
    ignore: ['**/.git/**'],
    followSymbolicLinks: false,
    expandDirectories: false,
    signal,
  });
  return newestFirst(
    names.map((name) => join(root, name)),
    (path) => path,
  );
}

/** The folder that a search really starts in: an absolute pattern brings its own. */
function startOf({ pattern, path = '.' }: z.infer<typeof Input>, cwd: string): { folder: string; pattern: string } {
  if (/(^|[/{,(|])\.\.($|[/},)|])/.test(pattern))
    throw new ToolError('A pattern must not hold "..". Give the folder to start from as path.');
  if (!pattern.startsWith('/')) return { folder: absolutePath(path, cwd), pattern };
  const [fixed = ''] = /^(\/[^/*?[\]{}()!+@\\]+)*(?=\/)/.exec(pattern) ?? [];
  return { folder: fixed === '' ? '/' : fixed, pattern: pattern.slice(fixed.length + 1) };
}
