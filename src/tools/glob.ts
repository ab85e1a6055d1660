import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { defineTool } from '../agent/tool.js';
import { ToolError } from '../util/errors.js';
import { absolutePath, judgedPaths, missingPath, realPathOf } from './support/paths.js';

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
    const { glob } = await import('tinyglobby');
    const names = await glob(pattern, {
      cwd: root,
      dot: true,
      ignore: ['**/.git/**'],
      followSymbolicLinks: false,
      expandDirectories: false,
      signal,
    });
    const files = await newestFirst(names.map((name) => join(root, name)).filter(mayRead));
    if (files.length === 0) return `No file matches ${pattern} in ${folder}.`;
    const more =
      files.length > MOST_FILES
        ? [`[The newest ${MOST_FILES} of ${files.length}. Narrow the pattern or the path to see others.]`]
        : [];
    return [...files.slice(0, MOST_FILES), ...more].join('\n');
  },
});

/** The folder that a search really starts in: an absolute pattern brings its own. */
function startOf({ pattern, path = '.' }: z.infer<typeof Input>, cwd: string): { folder: string; pattern: string } {
  if (pattern.includes('..'))
    throw new ToolError('A pattern must not hold "..". Give the folder to start from as path.');
  if (!pattern.startsWith('/')) return { folder: absolutePath(path, cwd), pattern };
  const [fixed = ''] = /^(\/[^/*?[\]{}()!+@\\]+)*(?=\/)/.exec(pattern) ?? [];
  return { folder: fixed === '' ? '/' : fixed, pattern: pattern.slice(fixed.length + 1) };
}

async function newestFirst(paths: readonly string[]): Promise<string[]> {
  const dated = await Promise.all(
    paths.map(async (path) => ({ path, time: (await stat(path).catch(() => undefined))?.mtimeMs ?? 0 })),
  );
  return dated.sort((a, b) => b.time - a.time || (a.path < b.path ? -1 : 1)).map(({ path }) => path);
}
