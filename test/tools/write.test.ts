import { chmod, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createEditTool } from '../../src/tools/edit.js';
import { readTool } from '../../src/tools/read.js';
import { createWriteTool } from '../../src/tools/write.js';
import { tempDir } from '../helpers/tempDir.js';
import { textOf, toolContext, use } from './context.js';

const tool = createWriteTool();

it('makes a file with its folders and tells who wants to know', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'a/b/c.txt');
  const edited: string[] = [];
  const telling = createWriteTool({ onEdit: async (real) => void edited.push(real) });
  const context = toolContext(dir.path);
  expect(await textOf(telling, { file_path: path, content: 'x\ny\n' }, context)).toBe(`Created ${path} (2 lines).`);
  expect(await readFile(path, 'utf8')).toBe('x\ny\n');
  expect(edited).toEqual([path]);
  await use(tool, { file_path: path, content: 'z\n' }, context);
});

it('replaces only what was read and is still as it was', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.txt');
  await writeFile(path, 'old\n');
  const context = toolContext(dir.path);
  const overwrite = () => use(tool, { file_path: path, content: 'new\n' }, context);
  await expect(overwrite()).rejects.toThrow(/was not read yet\. Read it first/);
  await use(readTool, { file_path: path }, context);
  await utimes(path, 1, 1);
  await expect(overwrite()).rejects.toThrow(/has changed since it was read/);
  await use(readTool, { file_path: path }, context);
  expect((await overwrite()).content).toBe(`Wrote ${path}.\n@@ -1,1 +1,1 @@\n-old\n+new`);
});

it('refuses to replace a file of which only a part was seen', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.txt');
  await writeFile(path, 'one\ntwo\n');
  const context = toolContext(dir.path);
  await use(readTool, { file_path: path, limit: 1 }, context);
  await expect(use(tool, { file_path: path, content: 'x' }, context)).rejects.toThrow(/Only a part/);
});

it('keeps the mode, the line ends and the byte order mark', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.sh');
  await writeFile(path, '\ufeffa\r\nb\r\n');
  await chmod(path, 0o775);
  const context = toolContext(dir.path);
  await use(readTool, { file_path: path }, context);
  await use(tool, { file_path: path, content: 'a\nc\n' }, context);
  expect(await readFile(path, 'utf8')).toBe('\ufeffa\r\nc\r\n');
  expect((await stat(path)).mode & 0o777).toBe(0o775);
});

it('has the target of a link judged and written, also of a link to nothing', async () => {
  await using dir = await tempDir();
  await using outside = await tempDir();
  await symlink(join(outside.path, 'new.txt'), join(dir.path, 'link'));
  const call = tool.prepare({ file_path: join(dir.path, 'link'), content: 'x' }, toolContext(dir.path));
  expect(call.access).toEqual({ kind: 'write', paths: [join(dir.path, 'link'), join(outside.path, 'new.txt')] });
  await call.run();
  expect(await readFile(join(outside.path, 'new.txt'), 'utf8')).toBe('x');
});

it('leaves a read-only file as it is, though its folder would let it be replaced', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.txt');
  await writeFile(path, 'old');
  await chmod(path, 0o444);
  const context = toolContext(dir.path);
  await use(readTool, { file_path: path }, context);
  const words = `${path} is read-only (mode 0444), so it was not changed.`;
  await expect(use(tool, { file_path: path, content: 'new' }, context)).rejects.toThrow(words);
  const edit = { file_path: path, old_string: 'old', new_string: 'new' };
  await expect(use(createEditTool(), edit, context)).rejects.toThrow(words);
  expect(await readFile(path, 'utf8')).toBe('old');
  await chmod(path, 0o644);
  await use(tool, { file_path: path, content: 'new' }, context);
});

it('makes a file of every name that one can have, and says which cannot be', async () => {
  await using dir = await tempDir();
  const write = (file_path: string) => use(tool, { file_path, content: 'x' }, toolContext(dir.path));
  for (const name of ['x'.repeat(255), 'ü'.repeat(127), 'a\n"b".txt']) {
    await write(name);
    expect(await readFile(join(dir.path, name), 'utf8')).toBe('x');
  }
  const refused = (path: string) => expect(async () => write(path)).rejects;
  await refused('x'.repeat(256)).toThrow('a name in it has more than 255 bytes');
  await refused(`${'x/'.repeat(3000)}x`).toThrow('it has more than 4095 bytes');
  await refused('a\0b').toThrow('"a\\u0000b" cannot be a path: it holds a NUL character.');
  await refused('folder/').toThrow('names a folder, by the slash at its end');
});

it('says why a file could not be written', async () => {
  await using dir = await tempDir();
  await symlink('loop', join(dir.path, 'loop'));
  const loop = use(tool, { file_path: join(dir.path, 'loop'), content: '' }, toolContext(dir.path));
  await expect(loop).rejects.toThrow(/loop cannot be written: ELOOP/);
  await writeFile(join(dir.path, 'file'), '');
  await expect(use(tool, { file_path: join(dir.path, 'file/x'), content: '' }, toolContext(dir.path))).rejects.toThrow(
    /cannot be made: of what it names as its folders, one is a file\.$/,
  );
});
