import { readFile, stat } from 'node:fs/promises';
import * as z from 'zod/mini';
import { defineTool, type ToolContext, type ToolOutput } from '../agent/tool.js';
import { hasCode, messageOf, ToolError } from '../util/errors.js';
import { fileKindOf, type ImageType } from './support/fileKind.js';
import { absolutePath, judgedPaths, missingPath, realPathOf, resolvedNote } from './support/paths.js';
import { type Lines, readLines } from './support/readLines.js';

const DEFAULT_LINES = 2000;
// 25,000 tokens of about four bytes.
const MOST_BYTES = 100_000;
const LONGEST_LINE = 2000;
// The API's own limit for one image.
const LARGEST_IMAGE = 5 * 1024 * 1024;

const Input = z.object({
  file_path: z.string().check(z.minLength(1), z.describe('Absolute path')),
  offset: z.optional(z.int().check(z.minimum(1), z.describe('First line, from 1'))),
  limit: z.optional(z.int().check(z.minimum(1), z.describe('Number of lines'))),
});
type Input = z.infer<typeof Input>;

export const readTool = defineTool({
  name: 'Read',
  description: `Reads a text file with line numbers, or an image. Up to ${DEFAULT_LINES} lines and 25,000 tokens at once; use offset and limit for the rest.`,
  input: Input,
  isReadOnly: true,
  access: ({ file_path }, { cwd }) => ({ kind: 'read', paths: judgedPaths(absolutePath(file_path, cwd)) }),
  async call(input, context) {
    const named = absolutePath(input.file_path, context.cwd);
    const path = realPathOf(named);
    const output = await readAny(path, input, context);
    return typeof output === 'string' ? `${output}${resolvedNote(input.file_path, named)}` : output;
  },
});

async function readAny(path: string, input: Input, context: ToolContext): Promise<ToolOutput | string> {
  const found = await statOf(path);
  if (found.isDirectory()) throw new ToolError(`${path} is a folder. Use Glob, or ls with Bash.`);
  if (!found.isFile()) throw new ToolError(`${path} is not a regular file and cannot be read.`);
  const kind = await fileKindOf(path);
  switch (kind.kind) {
    case 'image':
      return readImage(path, found.size, kind.type);
    case 'pdf':
      throw new ToolError(`${path} is a PDF document. Use Bash (pdftotext) to get its text.`);
    case 'utf16':
      throw new ToolError(`${path} is UTF-16 text. Use Bash (iconv -f UTF-16 -t UTF-8) to read it.`);
    case 'binary':
      throw new ToolError(
        `${path} is a binary file of ${found.size} bytes. Use Bash with a program that knows its format.`,
      );
    case 'text':
      return readText(path, input, found, context);
  }
}

async function statOf(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) throw new ToolError(await missingPath(path));
    throw new ToolError(`${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

async function readImage(path: string, size: number, type: ImageType): Promise<ToolOutput> {
  if (size > LARGEST_IMAGE)
    throw new ToolError(
      `${path} has ${size} bytes, more than the 5 MiB an image may have. Scale it down with Bash first.`,
    );
  const data = await readFile(path, 'base64');
  return { content: [{ type: 'image', source: { type: 'base64', media_type: type, data } }] };
}

async function readText(
  path: string,
  { offset = 1, limit = DEFAULT_LINES }: Input,
  found: { mtimeMs: number; size: number },
  context: ToolContext,
): Promise<string> {
  const lines = await readLines(path, {
    offset,
    limit,
    maxBytes: MOST_BYTES,
    maxLine: LONGEST_LINE,
    signal: context.signal,
  });
  const { shown, total } = lines;
  if (total > 0 && shown.length === 0) return `${path} has ${total} lines; line ${offset} is past its end.`;
  const partial = shown.length < total || lines.cutLines > 0;
  context.readLedger.record(path, { mtimeMs: found.mtimeMs, size: found.size, partial });
  if (total === 0) return `${path} is empty.`;
  const numbered = shown.map((line, index) => `${String(offset + index).padStart(6)}\t${line}`).join('\n');
  return partial ? `${numbered}\n\n${partialNote(lines, offset)}` : numbered;
}

function partialNote({ shown, total, isCounted, cutLines }: Lines, offset: number): string {
  const last = offset + shown.length - 1;
  const next = last < total ? ` Go on with offset ${last + 1}.` : '';
  const cut = cutLines > 0 ? ` ${cutLines} long ${cutLines === 1 ? 'line is' : 'lines are'} cut.` : '';
  return `[Partial view: lines ${offset}–${last} of ${isCounted ? '' : 'more than '}${total}.${cut}${next}]`;
}
