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

it('refuses what was not read, has changed since, or is no notebook', async () => {
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
  await writeFile(path, '{"cells": [');
  await use(readTool, { file_path: path }, context);
  await expect(edit()).rejects.toThrow(/is no notebook: it is not JSON \(.*\)\. Mend its text with Edit\.$/);
});

// As no writer of JSON in JavaScript would write them: numbers, an escape, a field twice, line ends and blanks of all kinds.
const ODD =
  '{"outputs": [{"output_type": "display_data",\r\n\r\n\n "data": {}, "metadata": {"a": 1.0, "b": 12345678901234567890, "c": NaN, "d": -Infinity, "e": 1E5, "e": "\\u00fc NaN \\\\"} } ],"cell_type":"code",  "metadata": { "x" : 1.0 } , "execution_count" : 1 , "source" : "x"%}';
const odd = (...ids: string[]) => ids.map((id) => ODD.replace('%', `, "id": "${id}"`));

it.each([
  [
    'replace',
    { cell_id: 'b', new_source: 'y' },
    (cell: string) => [cell.replace(/\[\{.*\} \]/s, '[]').replace(/1 , "source" : "x"/, 'null , "source" : "y"')],
  ],
  ['delete', { cell_id: 'b', edit_mode: 'delete' }, () => []],
])('%s leaves what is outside of its cell as it stands, to the byte', async (_, input, now) => {
  const [first = '', second = '', third = ''] = odd('a', 'b', 'c');
  const whole = (...cells: string[]) =>
    `{ "nbformat":4, "x": 1.50, "cells": [ ${cells.join(',\t')}\n ] ,"metadata": {"n": NaN},\r\n"nbformat_minor": 5 }\n\n`;
  const after = await edited(input, whole(first, second, third));
  expect(normal(after)).toBe(normal(whole(first, ...now(second), third)));
  expect(after.startsWith(whole(first).slice(0, whole(first).indexOf('\n ]')))).toBe(true);
  expect(after.endsWith(whole(third).slice(whole(third).indexOf(third)))).toBe(true);
});

/** Without what stands between fields. */
const normal = (text: string) => text.replace(/\s*([{}[\],:])\s*/g, '$1');

it('puts a cell into a file as it is written: at its head, into an empty one, with CR LF and a mark', async () => {
  const insert = { edit_mode: 'insert', cell_type: 'markdown', new_source: 'hi\nyou' };
  const { cells: _, ...rest } = NOTEBOOK;
  const id = (text: string) => text.replace(/"id": "[a-f0-9]{8}"/, '"id": "new"');
  const cell = { cell_type: 'markdown', id: 'new', metadata: {}, source: ['hi\n', 'you'] };
  expect(id(await edited(insert, written({ cells: [], ...rest })))).toBe(written({ cells: [cell], ...rest }));
  const crlf = (notebook: object) => `\ufeff${written(notebook).replaceAll('\n', '\r\n')}`;
  expect(id(await edited(insert, crlf(NOTEBOOK)))).toBe(crlf({ ...NOTEBOOK, cells: [cell, CODE, TEXT] }));
});

it('calls cells by their places where their ids are missing, no ids, or those of others', async () => {
  const { id: _, ...none } = TEXT;
  const cells = [CODE, { ...TEXT, id: 'a1' }, none, { ...TEXT, id: 'no id' }, { ...TEXT, id: 'cell-3' }];
  const before = written({ ...NOTEBOOK, cells });
  expect(await edited({ cell_id: 'a1' }, before)).toBe(
    'PATH has no cell "a1". Cells: cell-0, cell-1, cell-2, cell-3_, cell-3',
  );
  const after = JSON.parse(await edited({ cell_id: 'cell-1', new_source: 'y' }, before)).cells;
  expect(after).toEqual(cells.with(1, { ...TEXT, id: 'a1', source: 'y' }));
});
