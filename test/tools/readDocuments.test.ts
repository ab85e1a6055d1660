import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PDFDocument } from 'pdf-lib';
import { expect, it } from 'vitest';
import type { ContentBlockParam } from '../../src/model/types.js';
import { readTool } from '../../src/tools/read.js';
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

it('refuses pages of what is no PDF, and a PDF that is broken', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.txt');
  await writeFile(path, 'text');
  const read = () => use(readTool, { file_path: path, pages: '1' }, toolContext(dir.path));
  await expect(read()).rejects.toThrow('is no PDF, so it has no pages');
  await writeFile(path, '%PDF-1.7\nbroken');
  await expect(read()).rejects.toThrow('cannot be read as a PDF');
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

it('says what keeps a file from being a notebook', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.ipynb');
  const refusal = async (text: string) => {
    await writeFile(path, text);
    return textOf(readTool, { file_path: path }, toolContext(dir.path)).catch((error: Error) => error.message);
  };
  expect(await refusal('{')).toMatch(/is no notebook: it is not JSON/);
  expect(await refusal('{"cells":[],"metadata":{},"nbformat":3,"nbformat_minor":0}')).toMatch(/nbformat 4: nbformat: /);
});
