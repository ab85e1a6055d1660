import * as z from 'zod/mini';
import { defineTool, type Tool } from '../agent/tool.js';
import { hasCode, ToolError } from '../util/errors.js';
import { diffOf } from './support/files/diff.js';
import { nearMisses } from './support/files/nearMisses.js';
import { absolutePath, judgedPaths, missingPath, realPathOf, resolvedNote } from './support/files/paths.js';
import { replaceFile, requireRead } from './support/files/replaceFile.js';
import { encodeText, readTextFile, type TextFile, toCrlf } from './support/files/textFile.js';
import type { EditHooks } from './write.js';

const Input = z.object({
  file_path: z.string().check(z.minLength(1), z.describe('Absolute path')),
  old_string: z.string().check(z.describe('Exact text, without line numbers; must occur once')),
  new_string: z.string(),
  replace_all: z._default(z.boolean(), false),
});
type Input = z.infer<typeof Input>;

export function createEditTool({ onEdit }: EditHooks = {}): Tool {
  return defineTool({
    name: 'Edit',
    description:
      'Replaces exact text in a file that was read before. The text must be unique in it, unless replace_all.',
    input: Input,
    isReadOnly: false,
    access: ({ file_path }, { cwd }) => ({ kind: 'write', paths: judgedPaths(absolutePath(file_path, cwd)) }),
    async call(input, context) {
      const named = absolutePath(input.file_path, context.cwd);
      const path = realPathOf(named);
      const file = await readExisting(path);
      const { partial } = requireRead(path, file.state, context);
      const { text, count } = replaced(path, file, input);
      await replaceFile(path, encodeText(path, text, { ...file, isCrlf: false }), file.state, context, partial);
      await onEdit?.(path);
      const times = count === 1 ? '' : ` in ${count} places`;
      return `Edited ${path}${times}.\n${await diffOf(path, lf(file.text), lf(text))}${resolvedNote(input.file_path, named)}`;
    },
  });
}

async function readExisting(path: string): Promise<TextFile> {
  try {
    return await readTextFile(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) throw new ToolError(`${await missingPath(path)} Write makes new files.`);
    throw error;
  }
}

/** The file as the call would leave it. @throws ToolError where it cannot. */
export function replaced(path: string, file: TextFile, input: Input): { text: string; count: number } {
  const { text } = file;
  const { old_string, new_string, replace_all } = input;
  if (old_string === '')
    throw new ToolError('old_string is empty. Quote the text to replace, or use Write for a whole file.');
  if (old_string === new_string)
    throw new ToolError('old_string and new_string are the same: there is nothing to change.');
  const places = placesOf(text, old_string);
  const [first] = places;
  if (first === undefined)
    throw new ToolError(`old_string does not occur in ${path}.${nearMisses(lf(text), lf(old_string))}`);
  if (!replace_all) {
    const overlaps = places.length === 1 && text.includes(first.found, first.at + 1);
    if (overlaps || places.length > 1)
      throw new ToolError(
        `old_string occurs ${overlaps ? 'more than once, overlapping itself,' : `${places.length} times`} in ${path}. Quote more around the one you mean, or set replace_all.`,
      );
  }
  let after = '';
  let end = 0;
  for (const { at, found } of places) {
    const isCrlf = endsLinesInCrlf(file, at, found);
    after += text.slice(end, at) + (isCrlf ? toCrlf(new_string) : new_string);
    end = at + found.length;
  }
  return { text: after + text.slice(end), count: places.length };
}

interface Place {
  readonly at: number;
  /** What stands there: the text wanted, its line ends as the file has them. */
  readonly found: string;
}

/** Where a text stands in a file that may mix its line ends. */
function placesOf(text: string, wanted: string): Place[] {
  const places: Place[] = [];
  for (const found of new Set([wanted, toCrlf(wanted)])) {
    for (let at = text.indexOf(found); at >= 0; at = text.indexOf(found, at + found.length)) {
      // Half of a CR LF is no end of a line.
      if (!(found.startsWith('\n') && text[at - 1] === '\r')) places.push({ at, found });
    }
  }
  return places.sort((a, b) => a.at - b.at);
}

/** How the lines end that are replaced; the line around where there is no end among them. */
function endsLinesInCrlf({ text, isCrlf }: TextFile, at: number, found: string): boolean {
  const end = found.includes('\n') ? at + found.indexOf('\n') : text.indexOf('\n', at);
  return end < 0 ? isCrlf : text[end - 1] === '\r';
}

const lf = (text: string) => text.replaceAll('\r\n', '\n');
