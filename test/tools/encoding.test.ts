import { chmod, chown, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createEditTool } from '../../src/tools/edit.js';
import { readTool } from '../../src/tools/read.js';
import { createWriteTool } from '../../src/tools/write.js';
import { tempDir } from '../helpers/tempDir.js';
import { textOf, toolContext, use } from './context.js';

const edit = createEditTool();
const write = createWriteTool();

const latin1 = (text: string) => Buffer.from(text, 'latin1');
const little = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
const big = (text: string) => little(text).swap16();
const utf8 = (text: string) => Buffer.from(text);

/** Reads a file of these bytes, changes it, and gives the bytes that it then has, or what the model is told instead. */
async function changed(before: Buffer, change: object): Promise<Buffer | string> {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.txt');
  await writeFile(path, before);
  const context = toolContext(dir.path);
  await use(readTool, { file_path: path }, context);
  try {
    await use('content' in change ? write : edit, { file_path: path, ...change }, context);
  } catch (error) {
    expect(await readFile(path)).toEqual(before);
    return error instanceof Error ? error.message.replaceAll(path, 'PATH') : String(error);
  } finally {
    expect(await readdir(dir.path)).toEqual(['a.txt']);
  }
  return await readFile(path);
}

const toBlue = { old_string: 'grün', new_string: 'blau ü' };

it.each([
  ['UTF-8', utf8('grün\n'), toBlue, utf8('blau ü\n')],
  ['UTF-8 with a mark', utf8('\ufeffgrün\n'), toBlue, utf8('\ufeffblau ü\n')],
  ['UTF-16 little-endian', little('x grün 𝄞\n'), toBlue, little('x blau ü 𝄞\n')],
  ['UTF-16 big-endian', big('x grün 𝄞\n'), toBlue, big('x blau ü 𝄞\n')],
  ['UTF-16 with CR LF', little('a\r\ngrün\r\nc'), { old_string: 'a\ngrün', new_string: 'b\nü' }, little('b\r\nü\r\nc')],
  ['Latin-1', latin1('gr\xfcn \x80\x81\xff\n'), toBlue, latin1('blau \xfc \x80\x81\xff\n')],
  [
    'Latin-1 with CR LF, no last line end',
    latin1('\xe9\r\na'),
    { old_string: 'é\na', new_string: 'è\nb' },
    latin1('\xe8\r\nb'),
  ],
  ['Windows-1252', latin1('1 \x80\n'), { old_string: '1 €', new_string: '2 €…' }, latin1('2 \x80\x85\n')],
  ['UTF-8 without a last line end', utf8('a\ngrün'), toBlue, utf8('a\nblau ü')],
])('Edit keeps the encoding of %s, and every byte that it does not change', async (_, before, change, after) => {
  expect(await changed(before, change)).toEqual(after);
});

it.each([
  ['UTF-16 little-endian', little('old\r\n'), little('ü 𝄞\r\n')],
  ['UTF-16 big-endian', big('old\n'), big('ü 𝄞\n')],
  ['UTF-8 with a mark', utf8('\ufeffold\n'), utf8('\ufeffü 𝄞\n')],
])('Write keeps the encoding of %s', async (_, before, after) => {
  expect(await changed(before, { content: 'ü 𝄞\n' })).toEqual(after);
});

it('refuses a character that the encoding of a file lacks, names it, and leaves the file', async () => {
  const said =
    'PATH is Latin-1 text (Windows-1252), which has no "𝄞" (line 2 of the new text); nothing was written. Say it without, or make the file UTF-8 first: iconv -f WINDOWS-1252 -t UTF-8.';
  expect(await changed(latin1('\xe9\nb\n'), { old_string: 'b', new_string: 'b 𝄞' })).toBe(said);
  expect(await changed(latin1('\xe9\n'), { content: 'a\n𝄞' })).toBe(said);
  expect(await changed(latin1('\xe9\n'), { content: 'ж' })).toMatch(/has no "ж" \(line 1/);
});

it('refuses what begins like UTF-16 and is not, which would be damaged', async () => {
  const odd = Buffer.concat([little('ab'), Buffer.from([0x41])]);
  expect(await changed(odd, { old_string: 'a', new_string: 'c' })).toMatch(
    /^PATH begins like UTF-16LE but is not that throughout/,
  );
});

it.runIf(process.getuid?.() === 0)('keeps the mode and the owner of a file', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.sh');
  await writeFile(path, 'one\n');
  await chown(path, 1234, 4321);
  await chmod(path, 0o4751);
  const context = toolContext(dir.path);
  await use(readTool, { file_path: path }, context);
  await use(edit, { file_path: path, old_string: 'one', new_string: 'two' }, context);
  const { uid, gid, mode } = await stat(path);
  expect({ uid, gid, mode: mode & 0o7777 }).toEqual({ uid: 1234, gid: 4321, mode: 0o4751 });
});

it('shows several near misses, by likeness and by white space alone', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.ts');
  await writeFile(path, 'const total = 1;\nother();\nconst totals = 2;\n\tgo( a );\nlet x;\n  go(a);\n');
  const context = toolContext(dir.path);
  await use(readTool, { file_path: path }, context);
  const missing = (old_string: string) => use(edit, { file_path: path, old_string, new_string: 'x' }, context);
  await expect(missing('const totale = 1;')).rejects.toThrow(
    /Nearest:\n {5}1\tconst total = 1;\n…\n {5}3\tconst totals = 2;$/,
  );
  await expect(missing('go(a );')).rejects.toThrow(
    /Nearest:\n {5}4\t\tgo\( a \);\n…\n {5}6\t {2}go\(a\);\nOnly white space differs there\.$/,
  );
});

it('does nothing through a link that was turned elsewhere after the call was allowed', async () => {
  await using dir = await tempDir();
  await using outside = await tempDir();
  await mkdir(join(dir.path, 'real'));
  await symlink(join(dir.path, 'real'), join(dir.path, 'link'));
  const context = toolContext(dir.path);
  const call = write.prepare({ file_path: join(dir.path, 'link/new.txt'), content: 'x' }, context);
  expect(call.access).toEqual({
    kind: 'write',
    paths: [join(dir.path, 'link/new.txt'), join(dir.path, 'real/new.txt')],
  });
  await rm(join(dir.path, 'link'));
  await symlink(outside.path, join(dir.path, 'link'));
  await expect(call.run()).rejects.toThrow(/leads elsewhere than when this call was allowed/);
  expect(await readdir(outside.path)).toEqual([]);
  expect(await textOf(write, { file_path: join(dir.path, 'real/new.txt'), content: 'x' }, context)).toMatch(/^Created/);
});
