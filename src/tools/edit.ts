import * as z from 'zod/mini';
import { defineTool, type Tool } from '../agent/tool.js';
import { hasCode, ToolError } from '../util/errors.js';
import { diffOf } from './support/diff.js';
import { nearMisses } from './support/nearMisses.js';
import { absolutePath, judgedPaths, missingPath, realPathOf, resolvedNote } from './support/paths.js';
import { replaceFile, requireRead } from './support/replaceFile.js';
import { encodeText, readTextFile, type TextFile, toCrlf } from './support/textFile.js';
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

function replaced(path: string, { text, isCrlf }: TextFile, input: Input): { text: string; count: number } {
  const { old_string, new_string, replace_all } = input;
  if (old_string === '')
    throw new ToolError('old_string is empty. Quote the text to replace, or use Write for a whole file.');
  if (old_string === new_string)
    throw new ToolError('old_string and new_string are the same: there is nothing to change.');
  const old = [old_string, toCrlf(old_string)].find((wanted) => text.includes(wanted));
  if (old === undefined)
    throw new ToolError(`old_string does not occur in ${path}.${nearMisses(lf(text), lf(old_string))}`);
  const pieces = text.split(old);
  const count = pieces.length - 1;
  if (count > 1 && !replace_all) {
    throw new ToolError(
      `old_string occurs ${count} times in ${path}. Quote more around the one you mean, or set replace_all.`,
    );
  }
  return { text: pieces.join(isCrlf ? toCrlf(new_string) : new_string), count };
}

const lf = (text: string) => text.replaceAll('\r\n', '\n');
