import * as z from 'zod/mini';
import { defineTool, type Tool } from '../agent/tool.js';
import { type Ids, systemIds } from '../host/ids.js';
import { hasCode, ToolError } from '../util/errors.js';
import { didYouMean, wellFormed } from '../util/text.js';
import { type Cell, cellNames, hasIds, type Notebook, parseNotebook, textOf } from './support/documents/notebook.js';
import type { NotebookText } from './support/documents/notebookText.js';
import { diffOf } from './support/files/diff.js';
import { absolutePath, judgedPaths, missingPath, realPathOf, resolvedNote } from './support/files/paths.js';
import { replaceFile, requireRead } from './support/files/replaceFile.js';
import { encodeText, readTextFile, type TextFile } from './support/files/textFile.js';
import type { EditHooks } from './write.js';

const Input = z.object({
  notebook_path: z.string().check(z.minLength(1), z.describe('Absolute path')),
  cell_id: z.optional(
    z.string().check(z.describe('As Read shows it; with insert: the cell before, absent for the start')),
  ),
  new_source: z.string().check(z.describe('The whole source of the cell; empty with delete')),
  cell_type: z.optional(z.enum(['code', 'markdown']).check(z.describe('Needed with insert'))),
  edit_mode: z._default(z.enum(['replace', 'insert', 'delete']), 'replace'),
});
type Input = z.infer<typeof Input>;

export function createNotebookEditTool({ onEdit, ids = systemIds }: EditHooks & { readonly ids?: Ids } = {}): Tool {
  return defineTool({
    name: 'NotebookEdit',
    description:
      'Replaces, inserts or deletes one cell of a Jupyter notebook (.ipynb) that was read before. A replaced code cell loses its outputs.',
    input: Input,
    isReadOnly: false,
    access: ({ notebook_path }, { cwd }) => ({ kind: 'write', paths: judgedPaths(absolutePath(notebook_path, cwd)) }),
    async call(input, context) {
      const named = absolutePath(input.notebook_path, context.cwd);
      const path = realPathOf(named);
      if (!path.endsWith('.ipynb')) throw new ToolError(`${path} is no notebook (.ipynb). Use Edit.`);
      const file = await readExisting(path);
      const { partial } = requireRead(path, file.state, context);
      if (file.encoding !== 'utf-8')
        throw new ToolError(`${path} is no notebook: it is not UTF-8. Change it with Bash.`);
      const notebook = parseNotebook(file.text);
      if (typeof notebook === 'string')
        throw new ToolError(`${path} is no notebook: ${notebook}. Mend its text with Edit.`);
      const { notebookText } = await import('./support/documents/notebookText.js');
      const change = changeOf(path, notebook, { ...input, new_source: wellFormed(input.new_source) }, ids);
      const text = change.apply(notebookText(file.text));
      const { done, before, after } = change;
      // The text has its line ends already, and those of its other cells are not to be touched.
      await replaceFile(path, encodeText(path, text, { ...file, isCrlf: false }), file.state, context, partial);
      await onEdit?.(path);
      return `${done} in ${path}.\n${await diffOf(path, before, after)}${resolvedNote(input.notebook_path, named)}`;
    },
  });
}

async function readExisting(path: string): Promise<TextFile> {
  try {
    return await readTextFile(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) throw new ToolError(await missingPath(path));
    throw error;
  }
}

interface Change {
  readonly apply: (text: NotebookText) => string;
  /** What was done, in words. */
  readonly done: string;
  /** The cell's source. */
  readonly before: string;
  readonly after: string;
}

function changeOf(path: string, notebook: Notebook, input: Input, ids: Ids): Change {
  const { cells } = notebook;
  const { edit_mode, cell_id, new_source, cell_type } = input;
  if (edit_mode === 'insert') {
    if (cell_type === undefined) throw new ToolError('With edit_mode "insert" cell_type is needed: code or markdown.');
    const index = cell_id === undefined ? 0 : indexOf(path, cells, cell_id) + 1;
    const cell = newCell(cell_type, new_source, hasIds(notebook) ? freeId(cells, ids) : undefined);
    const name = cellNames(cells.toSpliced(index, 0, cell))[index];
    const done = `Inserted ${cell_type} cell ${name}`;
    return { apply: (text) => text.inserted(index, cell), done, before: '', after: new_source };
  }
  if (cell_id === undefined) throw new ToolError(`With edit_mode "${edit_mode}" cell_id is needed. ${idsOf(cells)}`);
  const index = indexOf(path, cells, cell_id);
  const cell = cells[index];
  if (cell === undefined) throw new Error(`unreachable: no cell ${index}`);
  const before = textOf(cell.source);
  if (edit_mode === 'delete') {
    if (new_source !== '')
      throw new ToolError('With edit_mode "delete" new_source must be empty: nothing is put there.');
    return { apply: (text) => text.deleted(index), done: `Deleted cell ${cell_id}`, before, after: '' };
  }
  const after = withSource(cell, cell_type ?? cell.cell_type, new_source);
  const done = `Replaced cell ${cell_id}`;
  return { apply: (text) => text.replaced(index, cell, after), done, before, after: new_source };
}

/** A cell's fields in the order in which Jupyter writes them. */
function newCell(type: 'code' | 'markdown', text: string, id: string | undefined): Cell {
  const named = id === undefined ? {} : { id };
  const source = linesOf(text);
  return type === 'code'
    ? { cell_type: 'code', execution_count: null, ...named, metadata: {}, outputs: [], source }
    : { cell_type: 'markdown', ...named, metadata: {}, source };
}

/** What a cell had printed is not what its new source prints. */
function withSource(cell: Cell, type: Cell['cell_type'], text: string): Cell {
  const source = typeof cell.source === 'string' ? text : linesOf(text);
  if (type === 'code') {
    if (cell.cell_type === 'code') return { ...cell, source, outputs: [], execution_count: null };
    const { id, metadata, attachments: _, ...rest } = cell;
    return {
      ...rest,
      ...(id !== undefined && { id }),
      metadata,
      cell_type: type,
      execution_count: null,
      outputs: [],
      source,
    };
  }
  const { outputs: _, execution_count: __, ...rest } = cell;
  return { ...rest, cell_type: type, source };
}

function indexOf(path: string, cells: readonly Cell[], id: string): number {
  const names = cellNames(cells);
  const index = names.indexOf(id);
  if (index >= 0) return index;
  throw new ToolError(`${path} has no cell ${JSON.stringify(id)}.${didYouMean(id, names)} ${idsOf(cells)}`);
}

function idsOf(cells: readonly Cell[]): string {
  const shown = cellNames(cells).slice(0, 50);
  return cells.length === 0 ? 'It has no cells.' : `Cells: ${shown.join(', ')}${cells.length > 50 ? ', …' : ''}`;
}

function freeId(cells: readonly Cell[], ids: Ids): string {
  const id = ids.hex(8);
  return cells.some((cell) => cell.id === id) ? freeId(cells, ids) : id;
}

/** As nbformat has it: lines with their ends. */
function linesOf(text: string): string[] {
  return text === '' ? [] : text.split(/(?<=\n)/);
}
