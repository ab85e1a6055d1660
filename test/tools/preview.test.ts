import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changePreview } from '../../src/tools/support/files/preview.js';
import { tempDir } from '../helpers/tempDir.js';

const lines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('');

test('an edit is previewed as the lines that it changes in the file that is there, with their numbers', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.txt');
  await writeFile(path, lines(20).replaceAll('\n', '\r\n'));
  const input = { file_path: 'a.txt', old_string: 'line 10\nline 11', new_string: 'line ten\nline 11' };
  expect(await changePreview({ tool: 'Edit', input, paths: [path] })).toBe(
    '@@ -7,7 +7,7 @@\n line 7\n line 8\n line 9\n-line 10\n+line ten\n line 11\n line 12\n line 13',
  );
});

test('a file that is written over is previewed as a difference, also where a link leads to it; a new one is its own text', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.txt');
  await writeFile(path, 'one\ntwo\n');
  await symlink(path, join(dir.path, 'link'));
  const write = (content: string, ...paths: string[]) =>
    changePreview({ tool: 'Write', input: { file_path: paths[0], content }, paths });
  expect(await write('one\n2\n', join(dir.path, 'link'), path)).toBe('@@ -1,2 +1,2 @@\n one\n-two\n+2');
  expect(await write('one\ntwo\n', path)).toBe('(No line changes.)');
  expect(await write('text', join(dir.path, 'new.txt'))).toBeUndefined();
  expect(await write('text', dir.path)).toBeUndefined();
});

test('what cannot be compared is left to the input: a text that is not there, another tool, no file at all', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.txt');
  await writeFile(path, 'one\n');
  const edit = { old_string: 'two', new_string: '2' };
  expect(await changePreview({ tool: 'Edit', input: edit, paths: [path] })).toBeUndefined();
  expect(await changePreview({ tool: 'Edit', input: { old_string: 1 }, paths: [path] })).toBeUndefined();
  expect(await changePreview({ tool: 'NotebookEdit', input: edit, paths: [path] })).toBeUndefined();
  expect(await changePreview({ tool: 'Bash', input: { command: 'ls' } })).toBeUndefined();
  await writeFile(path, lines(3000));
  const all = { content: lines(3000).replaceAll('line', 'row') };
  expect(await changePreview({ tool: 'Write', input: all, paths: [path] })).toBeUndefined();
});
