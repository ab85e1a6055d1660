import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { PDFDocument } from 'pdf-lib';
import { expect, it } from 'vitest';
import type { ContentBlockParam } from '../../src/model/types.js';
import { createEditTool } from '../../src/tools/edit.js';
import { createReadTool, readTool } from '../../src/tools/read.js';
import { eventually } from '../helpers/eventually.js';
import { fakeClock } from '../helpers/fakeClock.js';
import { tempDir } from '../helpers/tempDir.js';
import { textOf, toolContext, use } from './context.js';

/** A document whose pages are told apart by their widths: 101, 102, … */
async function pdf(pages: number): Promise<Uint8Array> {
  const document = await PDFDocument.create();
  for (let page = 1; page <= pages; page++) document.addPage([100 + page, 100]).drawCircle({ size: 10 });
  return document.save();
}

/** What Read says of a PDF: its words, and the widths of the pages that the model gets. */
async function pagesOf(pages: number, wanted?: string): Promise<[string, ...number[]]> {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.pdf');
  await writeFile(path, await pdf(pages));
  try {
    const input = { file_path: path, ...(wanted !== undefined && { pages: wanted }) };
    const { content } = await use(readTool, input, toolContext(dir.path));
    if (typeof content === 'string') return [content];
    const [words, document] = content;
    if (words?.type !== 'text' || document?.type !== 'document' || document.source.type !== 'base64')
      throw new Error('not a text and a document');
    const shown = await PDFDocument.load(document.source.data);
    return [words.text.replace(path, 'PATH'), ...shown.getPages().map((page) => page.getWidth())];
  } catch (error) {
    return [error instanceof Error ? error.message.replaceAll(path, 'PATH') : String(error)];
  }
}

it('gives a short PDF whole and, of any, the pages asked for as a document of their own', async () => {
  expect(await pagesOf(2)).toEqual(['Pages 1–2 of 2 of PATH:', 101, 102]);
  expect(await pagesOf(30, '29-40')).toEqual(['Pages 29–30 of 30 of PATH:', 129, 130]);
  expect(await pagesOf(30, ' 7 ')).toEqual(['Pages 7–7 of 30 of PATH:', 107]);
  expect(await pagesOf(12, '11-')).toEqual(['Pages 11–12 of 12 of PATH:', 111, 112]);
});

it('says which pages can be asked for when a PDF is long, or what is asked for is none of them', async () => {
  const example = 'Give pages, for example "1-10", at most 20 at once.';
  expect(await pagesOf(11)).toEqual([`PATH has 11 pages, too many to show unasked. ${example}`]);
  expect(await pagesOf(30, '1-21')).toEqual([`21 pages are too many. ${example}`]);
  expect(await pagesOf(30, '31')).toEqual(['PATH has 30 pages; page 31 is past its end.']);
  for (const wanted of ['0', '5-2', 'all', '1,2'])
    expect(await pagesOf(30, wanted), wanted).toEqual([`${JSON.stringify(wanted)} names no pages. ${example}`]);
});

it('refuses pages of what is no PDF, and a PDF that is broken or encrypted', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.txt');
  await writeFile(path, 'text');
  const read = () => use(readTool, { file_path: path, pages: '1' }, toolContext(dir.path));
  await expect(read()).rejects.toThrow('is no PDF, so it has no pages');
  await writeFile(path, '%PDF-1.7\nbroken');
  await expect(read()).rejects.toThrow('cannot be read as a PDF');
  const plain = Buffer.from(await (await PDFDocument.create()).save({ useObjectStreams: false })).toString('latin1');
  await writeFile(path, plain.replace('trailer\n<<', 'trailer\n<<\n/Encrypt 3 0 R'), 'latin1');
  await expect(read()).rejects.toThrow('it is encrypted. Decrypt it with Bash (qpdf --decrypt) first.');
  await writeFile(path, plain.replace(/\/Kids \[[^\]]*\]/, '/Kids [ 1 0 R ]'), 'latin1');
  await expect(read()).rejects.toThrow(/it is broken \(Maximum call stack/);
});

/** A page, and streams of objects of which each unpacks to as many blanks. */
function bomb(blanks: number, streams: number): Buffer {
  const packed = deflateSync(Buffer.concat([Buffer.from('9 0 10 3 42 43 '), Buffer.alloc(blanks, ' ')]));
  const head = `<< /Type /ObjStm /N 2 /First 9 /Filter /FlateDecode /Length ${packed.length} >>\nstream\n`;
  const stream = Buffer.concat([Buffer.from(head), packed, Buffer.from('\nendstream')]);
  const objects = [
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from('<< /Type /Pages /Kids [3 0 R] /Count 1 >>'),
    Buffer.from('<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>'),
    ...Array.from({ length: streams }, () => stream),
  ].flatMap((object, index) => [Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')]);
  return Buffer.concat([Buffer.from('%PDF-1.5\n'), ...objects, Buffer.from('trailer\n<< /Root 1 0 R >>\n%%EOF')]);
}

it('reads no PDF of which a part unpacks to more than memory should hold', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.pdf');
  const read = () => use(createReadTool({ clock: fakeClock() }), { file_path: path }, toolContext(dir.path));
  await writeFile(path, bomb(1000, 1));
  expect((await read()).content).toHaveLength(2);
  await writeFile(path, bomb(40_000_000, 1));
  await expect(read()).rejects.toThrow(
    'cannot be read as a PDF: something in it unpacks to more than 16 MiB. Try pdftotext with Bash.',
  );
});

it('gives up a PDF that unpacks for long, while everybody else goes on, and ends that when it is cancelled', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.pdf');
  await writeFile(path, bomb(12_000_000, 100));
  const clock = fakeClock();
  const read = (signal: AbortSignal) =>
    textOf(createReadTool({ clock }), { file_path: path }, toolContext(dir.path, { signal })).catch(String);
  const reading = read(new AbortController().signal);
  await clock.advance(20_000);
  expect(await reading).toMatch(/that takes longer than 20 s\. Try pdftotext with Bash\.$/);
  const abort = new AbortController();
  const cancelled = read(abort.signal);
  await eventually(() => expect(clock.sleeping()).toBe(1));
  abort.abort(new Error('stop'));
  expect(await cancelled).toBe('Error: stop');
});

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const code = (id: string | undefined, source: string | string[], outputs: object[] = []) => ({
  cell_type: 'code',
  execution_count: 1,
  ...(id !== undefined && { id }),
  metadata: {},
  outputs,
  source,
});

async function notebook(cells: object[], input: object = {}): Promise<readonly ContentBlockParam[] | string> {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.ipynb');
  await writeFile(path, JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }));
  return (await use(readTool, { file_path: path, ...input }, toolContext(dir.path))).content;
}

it('shows a notebook as cells with what they printed, images as images', async () => {
  const outputs = [
    { output_type: 'stream', name: 'stdout', text: ['one\n', 'two\n'] },
    { output_type: 'display_data', metadata: {}, data: { 'image/png': `${PIXEL}\n`, 'text/plain': '<Figure>' } },
    { output_type: 'error', ename: 'ValueError', evalue: 'no', traceback: ['\x1b[31mValueError\x1b[0m: no'] },
  ];
  const cells = [
    { cell_type: 'markdown', id: 'intro', metadata: {}, source: '# Hi' },
    code('run', ['a\n', 'b'], outputs),
  ];
  expect(await notebook(cells)).toEqual([
    {
      type: 'text',
      text: '<cell id="intro" type="markdown">\n# Hi\n</cell>\n<cell id="run">\na\nb\n</cell>\n<output>\none\ntwo\n</output>\n<output>\n<Figure>\n</output>',
    },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
    { type: 'text', text: '<output>\nValueError: no\n</output>' },
  ]);
});

it('shows as many cells as fit, and any others on demand', async () => {
  const cells = ['a', 'b', 'c'].map((id) => code(id, `${id}`.repeat(40_000)));
  const last = (content: Awaited<ReturnType<typeof notebook>>) => content.at(-1);
  expect(last(await notebook(cells))).toEqual({
    type: 'text',
    text: '[Partial view: cells 1–2 of 3. Go on with offset 3.]',
  });
  expect(await notebook([code('a', 'x'), code('b', 'y')], { offset: 2, limit: 1 })).toEqual([
    { type: 'text', text: '<cell id="b">\ny\n</cell>' },
    { type: 'text', text: '[Partial view: cells 2–2 of 2.]' },
  ]);
  expect(await notebook([code('a', 'x')], { offset: 2 })).toMatch(/has 1 cells; cell 2 is past its end/);
});

it('shows as text what is called a notebook and is none, says why, and Edit can mend it', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.ipynb');
  const context = toolContext(dir.path);
  const shown = async (text: string) => {
    await writeFile(path, text);
    return textOf(readTool, { file_path: path }, context);
  };
  expect(await shown('{"cells":[],"metadata":{},"nbformat":3,"nbformat_minor":0}')).toMatch(
    /^ {5}1\t\{"cells".*\n\n\[This is no notebook: it is not of nbformat 4 \(nbformat: .*\)\. It is shown as text/,
  );
  expect(await shown('<<<<<<< HEAD\n')).toMatch(/no notebook: it is not JSON/);
  await use(createEditTool(), { file_path: path, old_string: '<<<<<<< HEAD\n', new_string: '' }, context);
  expect(await readFile(path, 'utf8')).toBe('');
});
