import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readTool } from '../../src/tools/read.js';
import { tempDir } from '../helpers/tempDir.js';
import { textOf, toolContext, use } from './context.js';

const numbers = (count: number) => Array.from({ length: count }, (_, index) => `line ${index + 1}`);

it('numbers the lines and notes the file as read whole', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.txt');
  await writeFile(path, '\ufeffone\r\ntwo\n');
  const context = toolContext(dir.path);
  expect(await textOf(readTool, { file_path: path }, context)).toBe('     1\tone\n     2\ttwo');
  expect(context.readLedger.get(path)).toMatchObject({ partial: false, size: 12 });
});

it('shows 2000 lines at first and says which, and any others on demand', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.txt');
  await writeFile(path, numbers(2500).join('\n'));
  const context = toolContext(dir.path);
  const first = await textOf(readTool, { file_path: path }, context);
  expect(first.split('\n').at(-1)).toBe('[Partial view: lines 1–2000 of 2500. Go on with offset 2001.]');
  expect(context.readLedger.get(path)).toMatchObject({ partial: true });
  expect(await textOf(readTool, { file_path: path, offset: 2500 }, context)).toBe(
    '  2500\tline 2500\n\n[Partial view: lines 2500–2500 of 2500.]',
  );
  expect(await textOf(readTool, { file_path: path, offset: 2501 }, context)).toBe(
    `${path} has 2500 lines; line 2501 is past its end.`,
  );
});

it('stops at 25,000 tokens and cuts lines that are very long', async () => {
  await using dir = await tempDir();
  const wide = join(dir.path, 'wide.txt');
  await writeFile(
    wide,
    numbers(1000)
      .map((line) => line.padEnd(1000, '.'))
      .join('\n'),
  );
  const shown = await textOf(readTool, { file_path: wide, limit: 1000 }, toolContext(dir.path));
  expect(shown).toMatch(/\[Partial view: lines 1–99 of 1000\. Go on with offset 100\.\]$/);
  const long = join(dir.path, 'long.txt');
  await writeFile(long, `${'x'.repeat(1_000_000)}\nend\n`);
  const cut = await textOf(readTool, { file_path: long }, toolContext(dir.path));
  expect(cut).toContain('[… 998000 more characters in this line]\n     2\tend\n');
  expect(cut).toContain('1 long line is cut.');
});

it('says that a file is empty', async () => {
  await using dir = await tempDir();
  await writeFile(join(dir.path, 'a'), '');
  expect(await textOf(readTool, { file_path: join(dir.path, 'a') }, toolContext(dir.path))).toMatch(/is empty\.$/);
});

it('names the nearest when there is no such file', async () => {
  await using dir = await tempDir();
  await writeFile(join(dir.path, 'config.yaml'), '');
  const missing = (name: string) => use(readTool, { file_path: join(dir.path, name) }, toolContext(dir.path));
  await expect(missing('confg.yaml')).rejects.toThrow(`Did you mean ${dir.path}/config.yaml?`);
  await expect(missing('config.json')).rejects.toThrow(`Did you mean ${dir.path}/config.yaml?`);
  await expect(missing('other/x')).rejects.toThrow('nor does its folder');
});

it('refuses what is no text by its content, and says what would read it', async () => {
  await using dir = await tempDir();
  const refusal = async (content: Uint8Array) => {
    await writeFile(join(dir.path, 'a.txt'), content);
    return use(readTool, { file_path: join(dir.path, 'a.txt') }, toolContext(dir.path)).then(
      () => 'read',
      (error: Error) => error.message,
    );
  };
  expect(await refusal(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1]))).toMatch(/binary file of 6 bytes/);
  expect(await refusal(Buffer.from('%PDF-1.7\n'))).toMatch(/cannot be read as a PDF/);
  await mkdir(join(dir.path, 'folder'));
  await expect(use(readTool, { file_path: join(dir.path, 'folder') }, toolContext(dir.path))).rejects.toThrow(
    /is a folder/,
  );
  await expect(use(readTool, { file_path: '/dev/zero' }, toolContext(dir.path))).rejects.toThrow(/not a regular file/);
});

it('decodes UTF-16 by its mark and what is no UTF-8 as Latin-1, and tells both', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.txt');
  const read = async (content: Uint8Array) => {
    await writeFile(path, content);
    return textOf(readTool, { file_path: path }, toolContext(dir.path));
  };
  const utf16 = Buffer.from('\ufeffgrün\r\n𝄞\r\n', 'utf16le');
  expect(await read(utf16)).toMatch(/^ {5}1\tgrün\n {5}2\t𝄞\n\n\[This is UTF-16LE text\./);
  expect(await read(utf16.swap16())).toMatch(/^ {5}1\tgrün\n {5}2\t𝄞\n\n\[This is UTF-16BE text\./);
  expect(await read(Buffer.from('gr\xfcn', 'latin1'))).toMatch(
    /^ {5}1\tgrün\n\n\[This is not UTF-8: it is shown as Latin-1/,
  );
  // Far behind what decides between text and binary, and at the very end.
  const late = await read(Buffer.concat([Buffer.from('x\n'.repeat(100_000)), Buffer.from([0xc3])]));
  expect(late).toContain('shown as Latin-1');
  expect(await read(Buffer.from('grün'))).toBe('     1\tgrün');
});

it('reads a part of a file of gigabytes without holding it', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'huge.log');
  await writeFile(path, numbers(3000).join('\n'));
  await truncate(path, 3_000_000_000);
  const before = process.memoryUsage().rss;
  const started = performance.now();
  const text = await textOf(readTool, { file_path: path, limit: 2 }, toolContext(dir.path));
  expect(text).toMatch(
    /^ {5}1\tline 1\n {5}2\tline 2\n\n\[Partial view: lines 1–2 of more than \d+\. Go on with offset 3\.\]$/,
  );
  expect(performance.now() - started).toBeLessThan(10_000);
  expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
});

it('gives images as blocks, whatever their name', async () => {
  await using dir = await tempDir();
  const bytes = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  await writeFile(join(dir.path, 'a.dat'), bytes);
  expect(await use(readTool, { file_path: join(dir.path, 'a.dat') }, toolContext(dir.path))).toEqual({
    content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: bytes.toString('base64') } }],
  });
});

it('says how it took a relative path, and has it judged where it really is', async () => {
  await using dir = await tempDir();
  await writeFile(join(dir.path, 'real.txt'), 'x\n');
  await symlink('real.txt', join(dir.path, 'link.txt'));
  const context = toolContext(dir.path);
  const call = readTool.prepare({ file_path: 'link.txt' }, context);
  expect(call.access).toEqual({ kind: 'read', paths: [join(dir.path, 'link.txt'), join(dir.path, 'real.txt')] });
  expect((await call.run()).content).toBe(`     1\tx\n(link.txt was taken as ${dir.path}/link.txt)`);
});

it('lists all that is wrong with its input, and what it takes', () => {
  expect(() => readTool.prepare({ path: 'x', offset: 0 }, toolContext('/'))).toThrow(
    [
      'The input does not fit Read:',
      '- path: there is no such field.',
      '- file_path: Invalid input: expected string, received undefined',
      '- offset: Too small: expected number to be >=1',
      'Read takes file_path (string), offset? (integer), limit? (integer), pages? (string).',
    ].join('\n'),
  );
});
