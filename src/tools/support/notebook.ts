import * as z from 'zod/mini';
import { messageOf, ToolError } from '../../util/errors.js';

const Text = z.union([z.string(), z.array(z.string())]);
/** What nbformat takes for a cell's id. */
export const CELL_ID = /^[a-zA-Z0-9_-]{1,64}$/;

const Output = z.looseObject({
  output_type: z.string(),
  text: z.optional(Text),
  data: z.optional(z.record(z.string(), z.unknown())),
  ename: z.optional(z.string()),
  evalue: z.optional(z.string()),
  traceback: z.optional(z.array(z.string())),
});
export type Output = z.infer<typeof Output>;

const SHARED = { id: z.optional(z.string()), source: Text, metadata: z.looseObject({}) };
const Cell = z.discriminatedUnion('cell_type', [
  z.looseObject({
    ...SHARED,
    cell_type: z.literal('code'),
    outputs: z.array(Output),
    execution_count: z.nullable(z.int()),
  }),
  z.looseObject({ ...SHARED, cell_type: z.enum(['markdown', 'raw']) }),
]);
export type Cell = z.infer<typeof Cell>;

const Notebook = z.looseObject({
  nbformat: z.literal(4),
  nbformat_minor: z.int(),
  metadata: z.looseObject({}),
  cells: z.array(Cell),
});
export type Notebook = z.infer<typeof Notebook>;

/** @throws ToolError that says what of nbformat 4 it does not keep. */
export function parseNotebook(path: string, text: string): Notebook {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch (error) {
    throw new ToolError(`${path} is no notebook: it is not JSON (${messageOf(error)}).`, { cause: error });
  }
  const problem = problemOf(raw);
  if (problem !== undefined) throw new ToolError(`${path} is no notebook of nbformat 4: ${problem}.`);
  // As it stands in the file: what the schema returns has its fields in another order.
  return raw as Notebook;
}

/** What keeps this from being a notebook. */
export function problemOf(raw: unknown): string | undefined {
  const parsed = Notebook.safeParse(raw);
  if (!parsed.success) {
    const [{ path, message } = { path: [], message: 'it is none' }] = parsed.error.issues;
    return `${path.map(String).join('.')}: ${message}`;
  }
  const { cells } = parsed.data;
  if (!hasIds(parsed.data)) return undefined;
  const ids = cells.map(({ id }) => id ?? '');
  const bad = ids.find((id) => !CELL_ID.test(id));
  if (bad !== undefined) return `${JSON.stringify(bad)} is no id of a cell`;
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  return twice === undefined ? undefined : `two cells have the id ${twice}`;
}

/** Whether its cells have ids of their own: since nbformat 4.5. */
export function hasIds({ nbformat_minor }: Pick<Notebook, 'nbformat_minor'>): boolean {
  return nbformat_minor >= 5;
}

/** How a cell is called: by its id, or by its place where cells have none. */
export function cellName({ id }: Cell, index: number): string {
  return id ?? `cell-${index}`;
}

export function textOf(text: string | readonly string[]): string {
  return typeof text === 'string' ? text : text.join('');
}
