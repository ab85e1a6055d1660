import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createEditTool } from '../../src/tools/edit.js';
import { readTool } from '../../src/tools/read.js';
import { tempDir } from '../helpers/tempDir.js';
import { toolContext, use } from './context.js';

const tool = createEditTool();

/** Writes a file, has it read, edits it; what it then holds, or the error's message. */
async function edited(
  content: string | Uint8Array,
  old_string: string,
  new_string: string,
  more: object = {},
): Promise<string> {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.txt');
  await writeFile(path, content);
  const context = toolContext(dir.path);
  await use(readTool, { file_path: path }, context);
  try {
    await use(tool, { file_path: path, old_string, new_string, ...more }, context);
    return await readFile(path, 'utf8');
  } catch (error) {
    return error instanceof Error ? error.message.replaceAll(path, 'PATH') : String(error);
  }
}

it('replaces text that is there once, and nothing else', async () => {
  expect(await edited('a\nb\nc', 'b\n', '$& x\n')).toBe('a\n$& x\nc');
});

it('says how often a text is there when it is not unique', async () => {
  expect(await edited('b b b', 'b', 'x')).toBe(
    'old_string occurs 3 times in PATH. Quote more around the one you mean, or set replace_all.',
  );
  expect(await edited('b b b', 'b', 'x', { replace_all: true })).toBe('x x x');
});

it('keeps CR LF, the byte order mark and a missing last newline', async () => {
  expect(await edited('\ufeffa\r\nb\r\nc', 'a\nb', 'x\ny')).toBe('\ufeffx\r\ny\r\nc');
  expect(await edited('a\r\nb\r\n', 'b', 'b\nc')).toBe('a\r\nb\r\nc\r\n');
  expect(await edited('a\nb\r\nc\n', 'b\r\n', 'x\r\n')).toBe('a\nx\r\nc\n');
});

it('keeps the line ends of the very lines it changes, where a file mixes them', async () => {
  expect(await edited('a\nb\r\nc\r\nd\ne\n', 'b\nc', 'b\nx\nc')).toBe('a\nb\r\nx\r\nc\r\nd\ne\n');
  expect(await edited('a\r\nb\nc\nd\r\ne\r\n', 'b\nc', 'b\nx\nc')).toBe('a\r\nb\nx\nc\nd\r\ne\r\n');
  expect(await edited('a\r\nb\nc\r\n', 'b', 'b\nx')).toBe('a\r\nb\nx\nc\r\n');
  expect(await edited('a\nb\n-\na\r\nb\r\n', 'a\nb', 'x')).toMatch(/occurs 2 times/);
  expect(await edited('a\nb\n-\r\na\r\nb\r\n', '\na\nb', '\nx\ny')).toBe('a\nb\n-\r\nx\r\ny\r\n');
  expect(await edited('a\nb\n-\r\na\r\nb\r\n', 'a\nb', 'x\ny', { replace_all: true })).toBe('x\ny\n-\r\nx\r\ny\r\n');
});

it('takes a text for unique only when it stands nowhere else, not even over a part of itself', async () => {
  expect(await edited('--\nx\n--\ny\n--\n', '--\nx\n--', 'z')).toBe('z\ny\n--\n');
  expect(await edited('--\n--\n--\n', '--\n--', 'z')).toMatch(
    /^old_string occurs more than once, overlapping itself, in/,
  );
  expect(await edited('--\n--\n--\n--\n', '--\n--', 'z', { replace_all: true })).toBe('z\nz\n');
});

it('shows the nearest when nothing matches', async () => {
  expect(await edited('if (a) {\n    go();\n}\n', '\tgo();', 'x')).toBe(
    'old_string does not occur in PATH. Nearest:\n     2\t    go();\nOnly white space differs there.',
  );
  expect(await edited('const total = 1;\nconst other = 2;\n', 'const totals = 1;', 'x')).toMatch(
    /Nearest:\n {5}1\tconst total = 1;/,
  );
  expect(await edited('abc\n', 'something else', 'x')).toMatch(/Nothing like it/);
  expect(await edited('if (a)\n\tgo();\n', '     1\tif (a)\n     2\t\tgo();', 'x')).toBe(
    'old_string does not occur in PATH. It does without the line numbers that Read puts in front: leave those out.',
  );
});

it('refuses what would change nothing or damage the file', async () => {
  expect(await edited('a', 'a', 'a')).toMatch(/are the same/);
  expect(await edited('a', '', 'b')).toMatch(/old_string is empty/);
});

it('refuses a file that was not read, or not since it changed, and goes on after its own change', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.txt');
  await writeFile(path, 'one two');
  const context = toolContext(dir.path);
  const edit = (old_string: string) => use(tool, { file_path: path, old_string, new_string: 'x' }, context);
  await expect(edit('one')).rejects.toThrow(/was not read yet/);
  await use(readTool, { file_path: path }, context);
  expect((await edit('one')).content).toBe(
    `Edited ${path}.\n@@ -1,1 +1,1 @@\n-one two\n\\ No newline at end of file\n+x two\n\\ No newline at end of file`,
  );
  await edit('two');
  await writeFile(path, 'someone else was here');
  await expect(edit('someone')).rejects.toThrow(/has changed since/);
  await expect(use(tool, { file_path: `${path}x`, old_string: 'a', new_string: 'b' }, context)).rejects.toThrow(
    `Did you mean ${path}? Write makes new files.`,
  );
});

it('of agents that change one file at once none loses its change without being told', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.txt');
  const words = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  await writeFile(path, `${words.join('\n')}\n`);
  const outcomes = await Promise.all(
    words.map(async (word) => {
      const context = toolContext(dir.path);
      await use(readTool, { file_path: path }, context);
      const edit = use(tool, { file_path: path, old_string: word, new_string: word + word }, context);
      return edit.then(
        () => [word],
        (error: unknown) => {
          expect(String(error)).toContain('has changed since');
          return [];
        },
      );
    }),
  );
  const text = await readFile(path, 'utf8');
  expect(words.filter((word) => text.includes(word + word))).toEqual(outcomes.flat());
});
