import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createNotebookEditTool } from '../../src/tools/notebookEdit.js';
import { readTool } from '../../src/tools/read.js';
import { tempDir } from '../helpers/tempDir.js';
import { toolContext, use } from './context.js';
import { nbformatProblems } from './nbformat.js';

const tool = createNotebookEditTool();

const text = fc.oneof(fc.string(), fc.array(fc.string(), { maxLength: 3 }));
const metadata = fc.constantFrom<object>({}, { tags: ['x'], collapsed: true });
const output = fc.constantFrom<object>(
  { output_type: 'stream', name: 'stdout', text: ['1\n'] },
  { output_type: 'display_data', data: { 'text/plain': 'x' }, metadata: {} },
  { output_type: 'execute_result', data: { 'text/plain': ['x'] }, metadata: {}, execution_count: 1 },
  { output_type: 'error', ename: 'E', evalue: 'x', traceback: ['\u001b[31mE'] },
);
const code = fc.record({
  cell_type: fc.constant('code'),
  metadata,
  source: text,
  outputs: fc.array(output, { maxLength: 2 }),
  execution_count: fc.constantFrom(null, 3),
});
const prose = fc.record(
  {
    cell_type: fc.constantFrom('markdown', 'raw'),
    metadata,
    source: text,
    attachments: fc.constant({ 'a.png': { 'image/png': 'x' } }),
  },
  { requiredKeys: ['cell_type', 'metadata', 'source'] },
);

const notebooks = fc
  .record({ minor: fc.constantFrom(4, 5), cells: fc.array(fc.oneof(code, prose), { minLength: 1, maxLength: 4 }) })
  .map(({ minor, cells }) => ({
    nbformat: 4,
    nbformat_minor: minor,
    metadata: { kernelspec: { name: 'python3', display_name: 'Python' } },
    cells: cells.map((cell, index) => (minor >= 5 ? { id: `c-${index}`, ...cell } : cell)),
  }));
const edits = fc.record({
  edit_mode: fc.constantFrom('replace', 'insert', 'delete'),
  at: fc.nat(),
  source: fc.string(),
  cell_type: fc.constantFrom(undefined, 'code', 'markdown'),
  indent: fc.constantFrom('', ' ', '\t'),
});

it('whatever is edited, the notebook keeps its format and its layout, and every other cell stays as it was', async () => {
  await fc.assert(
    fc.asyncProperty(notebooks, edits, async (notebook, { edit_mode, at, source, cell_type, indent }) => {
      await using dir = await tempDir();
      const path = join(dir.path, 'a.ipynb');
      expect(nbformatProblems(notebook)).toEqual([]);
      await writeFile(path, JSON.stringify(notebook, null, indent));
      const context = toolContext(dir.path);
      await use(readTool, { file_path: path }, context);
      const index = at % notebook.cells.length;
      const name = notebook.nbformat_minor >= 5 ? `c-${index}` : `cell-${index}`;
      const type = edit_mode === 'insert' ? (cell_type ?? 'code') : cell_type;
      await use(
        tool,
        {
          ...{ notebook_path: path, cell_id: name, edit_mode, new_source: edit_mode === 'delete' ? '' : source },
          ...(type !== undefined && { cell_type: type }),
        },
        context,
      );
      const written = await readFile(path, 'utf8');
      const after = JSON.parse(written);
      expect(written).toBe(JSON.stringify(after, null, indent));
      expect(nbformatProblems(after)).toEqual([]);
      const { cells, ...rest } = notebook;
      expect({ ...after, cells: undefined }).toEqual({ ...rest, cells: undefined });
      const place = edit_mode === 'insert' ? index + 1 : index;
      expect(after.cells.toSpliced(place, edit_mode === 'delete' ? 0 : 1)).toEqual(
        cells.toSpliced(index, edit_mode === 'insert' ? 0 : 1),
      );
    }),
    { numRuns: 150 },
  );
});
