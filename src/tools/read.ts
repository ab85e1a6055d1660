import { readFile, stat } from 'node:fs/promises';
import * as z from 'zod/mini';
import { defineTool, type Tool, type ToolContext, type ToolOutput } from '../agent/tool.js';
import { type Clock, systemClock } from '../host/clock.js';
import { hasCode, isSystemError, messageOf, ToolError } from '../util/errors.js';
import { imageProblem, LARGEST_IMAGE } from './support/documents/image.js';
import { parseNotebook } from './support/documents/notebook.js';
import { viewOf } from './support/documents/notebookView.js';
import { type Encoding, fileKindOf, type ImageType } from './support/files/fileKind.js';
import { absolutePath, judgedPaths, missingPath, realPathOf, resolvedNote } from './support/files/paths.js';
import { type Lines, readLines } from './support/files/readLines.js';

const DEFAULT_LINES = 2000;
// 25,000 tokens of about four bytes.
const MOST_BYTES = 100_000;
const LONGEST_LINE = 2000;
const LARGEST_NOTEBOOK = 100 * 1024 * 1024;

const Input = z.object({
  file_path: z.string().check(z.minLength(1), z.describe('Absolute path')),
  offset: z.optional(z.int().check(z.minimum(1), z.describe('First line, or cell, from 1'))),
  limit: z.optional(z.int().check(z.minimum(1), z.describe('Number of lines or cells'))),
  pages: z.optional(z.string().check(z.describe('Of a PDF: "3" or "1-5", at most 20'))),
});
type Input = z.infer<typeof Input>;

export function createReadTool({ clock = systemClock }: { readonly clock?: Clock } = {}): Tool {
  return defineTool({
    name: 'Read',
    description: `Reads a text file with line numbers, an image, pages of a PDF, or a notebook (.ipynb) as cells. Up to ${DEFAULT_LINES} lines and 25,000 tokens at once; use offset and limit for the rest.`,
    input: Input,
    isReadOnly: true,
    access: ({ file_path }, { cwd }) => ({ kind: 'read', paths: judgedPaths(absolutePath(file_path, cwd)) }),
    async call(input, context) {
      const named = absolutePath(input.file_path, context.cwd);
      const path = realPathOf(named);
      const output = await readAny(path, input, context, clock).catch((error: unknown) => {
        throw isSystemError(error) ? unreadable(path, error) : error;
      });
      const note = resolvedNote(input.file_path, named);
      if (typeof output === 'string') return `${output}${note}`;
      return note === '' || typeof output.content === 'string'
        ? output
        : { ...output, content: [...output.content, { type: 'text', text: note.trim() }] };
    },
  });
}

/** As everybody has it, by the system's clock. */
export const readTool = createReadTool();

async function readAny(path: string, input: Input, context: ToolContext, clock: Clock): Promise<ToolOutput | string> {
  const found = await statOf(path);
  if (found.isDirectory()) throw new ToolError(`${path} is a folder. Use Glob, or ls with Bash.`);
  if (!found.isFile()) throw new ToolError(`${path} is not a regular file and cannot be read.`);
  const kind = await fileKindOf(path);
  if (input.pages !== undefined && kind.kind !== 'pdf')
    throw new ToolError(`${path} is no PDF, so it has no pages. Leave pages out.`);
  switch (kind.kind) {
    case 'image':
      return readImage(path, found.size, kind.type);
    case 'pdf':
      return {
        content: await (await import('./support/documents/pdf.js')).readPdf(
          { path, size: found.size, wanted: input.pages },
          clock,
          context.signal,
        ),
      };
    case 'binary':
      throw new ToolError(
        `${path} is a binary file of ${found.size} bytes. Use Bash with a program that knows its format.`,
      );
    case 'text':
      return path.endsWith('.ipynb')
        ? readNotebook(path, input, kind.encoding, found, context)
        : readText(path, input, kind.encoding, found, context);
  }
}

async function statOf(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) throw new ToolError(await missingPath(path));
    throw unreadable(path, error);
  }
}

function unreadable(path: string, error: unknown): ToolError {
  return new ToolError(`${path} cannot be read: ${messageOf(error)}`, { cause: error });
}

async function readImage(path: string, size: number, type: ImageType): Promise<ToolOutput> {
  // What is far too large is not loaded for that to be said.
  const bytes = size > LARGEST_IMAGE ? Buffer.alloc(0) : await readFile(path);
  const problem =
    size > LARGEST_IMAGE
      ? `has ${size} bytes, more than the ${LARGEST_IMAGE} that an image may have`
      : imageProblem(bytes, type);
  if (problem !== undefined)
    throw new ToolError(`${path} ${problem}, so it cannot be shown. Make a smaller or a sound copy with Bash first.`);
  return { content: [{ type: 'image', source: { type: 'base64', media_type: type, data: bytes.toString('base64') } }] };
}

async function readNotebook(
  path: string,
  input: Input,
  encoding: Encoding,
  found: FileState,
  context: ToolContext,
): Promise<ToolOutput | string> {
  const { offset = 1, limit = Number.MAX_SAFE_INTEGER } = input;
  const { mtimeMs, size } = found;
  if (size > LARGEST_NOTEBOOK)
    throw new ToolError(
      `${path} has ${size} bytes, more than the 100 MiB of a notebook that is read here. Use Bash (jq).`,
    );
  const notebook = parseNotebook((await readFile(path, 'utf8')).replace(/^\ufeff/, ''));
  if (typeof notebook === 'string') {
    const shown = await readText(path, input, encoding, found, context);
    return `${shown}\n\n[This is no notebook: ${notebook}. It is shown as text, and Edit can change it.]`;
  }
  const total = notebook.cells.length;
  if (total > 0 && offset > total) return { content: `${path} has ${total} cells; cell ${offset} is past its end.` };
  const { blocks, shown } = viewOf(path, notebook, { first: offset, limit, maxBytes: MOST_BYTES });
  context.readLedger.record(path, { mtimeMs, size, partial: shown < total });
  if (total === 0) return { content: `${path} has no cells.` };
  const last = offset + shown - 1;
  const next = last < total ? ` Go on with offset ${last + 1}.` : '';
  const note = `[Partial view: cells ${offset}–${last} of ${total}.${next}]`;
  const content = shown < total ? [...blocks, { type: 'text' as const, text: note }] : blocks;
  return { content };
}

interface FileState {
  readonly mtimeMs: number;
  readonly size: number;
}

async function readText(
  path: string,
  { offset = 1, limit = DEFAULT_LINES }: Input,
  encoding: Encoding,
  found: FileState,
  context: ToolContext,
): Promise<string> {
  const lines = await readLines(path, {
    offset,
    limit,
    maxBytes: MOST_BYTES,
    maxLine: LONGEST_LINE,
    encoding,
    signal: context.signal,
  });
  const { shown, total } = lines;
  if (total > 0 && shown.length === 0) return `${path} has ${total} lines; line ${offset} is past its end.`;
  const partial = shown.length < total || lines.cutLines > 0;
  context.readLedger.record(path, { mtimeMs: found.mtimeMs, size: found.size, partial });
  if (total === 0) return `${path} is empty.`;
  const numbered = shown.map((line, index) => `${String(offset + index).padStart(6)}\t${line}`).join('\n');
  const notes = [...(partial ? [partialNote(lines, offset)] : []), ...encodingNote(lines.encoding)];
  return notes.length > 0 ? `${numbered}\n\n${notes.join('\n')}` : numbered;
}

function encodingNote(encoding: Encoding): string[] {
  switch (encoding) {
    case 'utf-8':
      return [];
    case 'windows-1252':
      return [
        '[This is not UTF-8: it is shown as Latin-1. Edit and Write keep it so, and refuse characters that it lacks.]',
      ];
    default:
      return [`[This is ${encoding.toUpperCase()} text. Edit and Write keep it so.]`];
  }
}

function partialNote({ shown, total, isCounted, cutLines }: Lines, offset: number): string {
  const last = offset + shown.length - 1;
  const next = last < total ? ` Go on with offset ${last + 1}.` : '';
  const cut = cutLines > 0 ? ` ${cutLines} long ${cutLines === 1 ? 'line is' : 'lines are'} cut.` : '';
  return `[Partial view: lines ${offset}–${last} of ${isCounted ? '' : 'more than '}${total}.${cut}${next}]`;
}
