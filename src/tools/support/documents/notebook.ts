import * as z from 'zod/mini';
import { messageOf } from '../../../util/errors.js';

const Text = z.union([z.string(), z.array(z.string())]);
/** What nbformat takes for a cell's id. */
const CELL_ID = /^[a-zA-Z0-9_-]{1,64}$/;

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

/** A notebook, or in words why it is none of nbformat 4. */
export function parseNotebook(text: string): Notebook | string {
  let raw: unknown;
  try {
    raw = JSON.parse(plainJson(text));
  } catch (error) {
    return `it is not JSON (${messageOf(error)})`;
  }
  const parsed = Notebook.safeParse(raw);
  // As it stands in the file: what the schema returns has its fields in another order.
  if (parsed.success) return raw as Notebook;
  const [{ path, message } = { path: [], message: 'it is none' }] = parsed.error.issues;
  return `it is not of nbformat 4 (${path.map(String).join('.')}: ${message})`;
}

/** The text with numbers of the same length for `NaN` and `Infinity`, which Python writes and JSON does not know. */
export function plainJson(text: string): string {
  if (!/NaN|Infinity/.test(text)) return text;
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const quote = text.indexOf('"', at);
    const end = quote < 0 ? text.length : quote;
    pieces.push(text.slice(at, end).replace(/NaN|Infinity/g, (word) => '0'.padEnd(word.length)));
    at = quote < 0 ? end : endOfString(text, quote);
    pieces.push(text.slice(end, at));
  }
  return pieces.join('');
}

function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let before = quote;
    while (text[before - 1] === '\\') before--;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
  return text.length;
}

/** Whether its cells have ids of their own: since nbformat 4.5. */
export function hasIds({ nbformat_minor }: Pick<Notebook, 'nbformat_minor'>): boolean {
  return nbformat_minor >= 5;
}

/** How cells are called: by their ids; by its place where one has none, not a valid one, or that of another cell. */
export function cellNames(cells: readonly Pick<Cell, 'id'>[]): string[] {
  const uses = new Map<string, number>();
  for (const { id } of cells) if (id !== undefined) uses.set(id, (uses.get(id) ?? 0) + 1);
  const placeName = (name: string): string => (uses.has(name) ? placeName(`${name}_`) : name);
  return cells.map(({ id }, index) =>
    id !== undefined && uses.get(id) === 1 && CELL_ID.test(id) ? id : placeName(`cell-${index}`),
  );
}

export function textOf(text: string | readonly string[]): string {
  return typeof text === 'string' ? text : text.join('');
}
