import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createNotebookEditTool } from '../../src/tools/notebookEdit.js';
import { readTool } from '../../src/tools/read.js';
import { tempDir } from '../helpers/tempDir.js';
import { toolContext, use } from './context.js';

const tool = createNotebookEditTool();
const OUTPUT = { name: 'stdout', output_type: 'stream', text: ['1\n'] };
const CODE = {
  cell_type: 'code',
  execution_count: 3,
  id: 'a1',
  metadata: { tags: ['x'] },
  outputs: [OUTPUT],
  source: ['x = 1\n', 'x'],
};
const TEXT = { cell_type: 'markdown', id: 'b2', metadata: {}, source: 'Some *text*' };
const NOTEBOOK = { cells: [CODE, TEXT], metadata: { kernelspec: { name: 'python3' } }, nbformat: 4, nbformat_minor: 5 };
// As Jupyter writes them.
const written = (notebook: object) => `${JSON.stringify(notebook, null, 1)}\n`;

/** Reads and edits a notebook; its text afterwards, or the error's message. */
async function edited(input: object, before = written(NOTEBOOK)): Promise<string> {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.ipynb');
  await writeFile(path, before);
  const context = toolContext(dir.path);
  await use(readTool, { file_path: path }, context);
  try {
    await use(tool, { notebook_path: path, new_source: '', ...input }, context);
    return await readFile(path, 'utf8');
  } catch (error) {
    return error instanceof Error ? error.message.replaceAll(path, 'PATH') : String(error);
  }
}

it('replaces the source of a code cell and takes away what the old one had printed', async () => {
  const changed = { ...CODE, execution_count: null, outputs: [], source: ['x = 2\n', 'x\n'] };
  expect(await edited({ cell_id: 'a1', new_source: 'x = 2\nx\n' })).toBe(
    written({ ...NOTEBOOK, cells: [changed, TEXT] }),
  );
});

it('keeps all else as it stands: order and indentation, other cells, a source that is one text, no last newline', async () => {
  const before = JSON.stringify(
    { nbformat: 4, nbformat_minor: 5, own: '\u00fc', metadata: {}, cells: [TEXT, CODE] },
    null,
    '\t',
  );
  expect(await edited({ cell_id: 'b2', new_source: 'a\nb' }, before)).toBe(before.replace('Some *text*', 'a\\nb'));
});

it('makes code of text and text of code, each with the fields it must have', async () => {
  const asText = JSON.parse(await edited({ cell_id: 'a1', new_source: 'hi', cell_type: 'markdown' })).cells[0];
  expect(asText).toEqual({ cell_type: 'markdown', id: 'a1', metadata: { tags: ['x'] }, source: ['hi'] });
  const asCode = JSON.parse(await edited({ cell_id: 'b2', new_source: 'hi', cell_type: 'code' })).cells[1];
  expect(asCode).toEqual({ ...TEXT, cell_type: 'code', execution_count: null, outputs: [], source: 'hi' });
});

it('inserts behind a cell, or first, with a new id that nbformat takes', async () => {
  const ids = async (input: object) =>
    JSON.parse(await edited({ edit_mode: 'insert', new_source: 'y', ...input })).cells as typeof NOTEBOOK.cells;
  const behind = await ids({ cell_id: 'a1', cell_type: 'code' });
  expect(behind.map(({ id }) => id)).toEqual(['a1', expect.stringMatching(/^[a-f0-9]{8}$/), 'b2']);
  expect(behind[1]).toMatchObject({
    cell_type: 'code',
    execution_count: null,
    outputs: [],
    metadata: {},
    source: ['y'],
  });
  const first = await ids({ cell_type: 'markdown' });
  expect(first.map(({ cell_type }) => cell_type)).toEqual(['markdown', 'code', 'markdown']);
  expect(first[0]).not.toHaveProperty('outputs');
});

it('deletes a cell', async () => {
  expect(await edited({ cell_id: 'a1', edit_mode: 'delete' })).toBe(written({ ...NOTEBOOK, cells: [TEXT] }));
});

it('calls cells by their place where they have no ids, and gives them none', async () => {
  const { id: _, ...old } = TEXT;
  const before = written({ ...NOTEBOOK, nbformat_minor: 4, cells: [old, old] });
  const after = await edited(
    { cell_id: 'cell-1', edit_mode: 'insert', cell_type: 'markdown', new_source: 'z' },
    before,
  );
  expect(JSON.parse(after).cells).toEqual([old, old, { cell_type: 'markdown', metadata: {}, source: ['z'] }]);
});

it('says what would be right when the input does not fit the notebook', async () => {
  expect(await edited({ cell_id: 'a2' })).toBe('PATH has no cell "a2". Did you mean "a1"? Cells: a1, b2');
  expect(await edited({})).toBe('With edit_mode "replace" cell_id is needed. Cells: a1, b2');
  expect(await edited({ edit_mode: 'insert' })).toMatch(/cell_type is needed: code or markdown/);
  expect(await edited({ edit_mode: 'delete', cell_id: 'a1', new_source: 'x' })).toMatch(/must be empty/);
});

it('refuses what was not read, has changed since, is no notebook, or has cells of one id', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.ipynb');
  await writeFile(path, written(NOTEBOOK));
  const context = toolContext(dir.path);
  const edit = (file = path) => use(tool, { notebook_path: file, cell_id: 'a1', new_source: '' }, context);
  await expect(edit()).rejects.toThrow('was not read yet');
  await use(readTool, { file_path: path }, context);
  await writeFile(path, `${written(NOTEBOOK)} `);
  await expect(edit()).rejects.toThrow('has changed since');
  await expect(edit(`${path}x`)).rejects.toThrow('is no notebook (.ipynb). Use Edit.');
  await writeFile(path, written({ ...NOTEBOOK, cells: [CODE, { ...TEXT, id: 'a1' }] }));
  await expect(use(readTool, { file_path: path }, context)).rejects.toThrow('two cells have the id a1');
});
