import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readTool } from '../../src/tools/read.js';
import { imageProblem } from '../../src/tools/support/documents/image.js';
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
  // Compressed, without a NUL; UTF-32.
  const packed = Buffer.from(Array.from({ length: 200 }, (_, index) => ((index * 151) % 255) + 1));
  expect(await refusal(packed)).toMatch(/binary file of 200 bytes/);
  expect(await refusal(Buffer.from('\xff\xfe\0\0A\0\0\0', 'latin1'))).toMatch(/binary file of 8 bytes/);
  expect(await refusal(Buffer.from('%PDF-1.7\n'))).toMatch(/cannot be read as a PDF/);
  await mkdir(join(dir.path, 'folder'));
  await expect(use(readTool, { file_path: join(dir.path, 'folder') }, toolContext(dir.path))).rejects.toThrow(
    /is a folder/,
  );
  await expect(use(readTool, { file_path: '/dev/zero' }, toolContext(dir.path))).rejects.toThrow(/not a regular file/);
  await symlink('loop', join(dir.path, 'loop'));
  await expect(use(readTool, { file_path: 'loop' }, toolContext(dir.path))).rejects.toThrow(/cannot be read: ELOOP/);
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
  // Colours and a page break, in Latin-1, are still text.
  expect(await read(Buffer.from('\x1b[31mgr\xfcn\x1b[0m\f', 'latin1'))).toContain('grün');
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

const u16 = (...values: number[]) => Buffer.from(new Uint16Array(values).buffer);
const big = (...values: number[]) => Buffer.concat(values.map((value) => u16(value).swap16()));

/** Images as far as their size can be read of them. */
const IMAGES: Readonly<Record<string, (width: number, height: number) => Buffer>> = {
  'image/png': (width, height) =>
    Buffer.concat([
      Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'),
      big(0, width, 0, height),
      Buffer.from('IEND'),
    ]),
  'image/gif': (width, height) => Buffer.concat([Buffer.from('GIF89a'), u16(width, height, 0, 0)]),
  'image/jpeg': (width, height) =>
    Buffer.concat([Buffer.from('ffd8ffe000040007ffffc40002ffc2000b08', 'hex'), big(height, width)]),
  'image/webp': (width, height) => riff('VP8 ', Buffer.concat([Buffer.alloc(10), u16(width, height)])),
};
const riff = (kind: string, body: Buffer) =>
  Buffer.concat([Buffer.from('RIFF'), u16(body.length + 8, 0), Buffer.from(`WEBP${kind}`), body]);

it.each(Object.entries(IMAGES))(
  'gives an image as a block, whatever its name, if the API takes it: %s',
  async (type, of) => {
    await using dir = await tempDir();
    const path = join(dir.path, 'a.dat');
    const read = async (bytes: Buffer) => {
      await writeFile(path, bytes);
      return use(readTool, { file_path: path }, toolContext(dir.path));
    };
    const bytes = of(8000, 300);
    expect(await read(bytes)).toEqual({
      content: [{ type: 'image', source: { type: 'base64', media_type: type, data: bytes.toString('base64') } }],
    });
    await expect(read(of(300, 8001))).rejects.toThrow(`${path} has 300 × 8001 pixels, more than the 8000`);
    await expect(read(of(0, 300))).rejects.toThrow(`${path} is a broken ${type}`);
    await expect(read(bytes.subarray(0, -4))).rejects.toThrow(`${path} is a broken ${type}`);
    // In base64 it would have more than 5 MiB.
    await expect(read(Buffer.concat([bytes, Buffer.alloc(4_000_000)]))).rejects.toThrow(
      /more than the 3932160 that an/,
    );
  },
);

it('knows the size of a WebP of each kind', () => {
  const lossless = riff('VP8L', Buffer.concat([Buffer.alloc(5), big(0xff3f, 0x4b00)]));
  const extended = riff('VP8X', Buffer.from('00000000000000000000003f1f002b0100', 'hex').subarray(3));
  expect(imageProblem(lossless, 'image/webp')).toMatch(/has 16384 × /);
  expect(imageProblem(extended, 'image/webp')).toBeUndefined();
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
