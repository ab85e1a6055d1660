import * as z from 'zod/mini';
import { isSystemError, ToolError } from '../../../util/errors.js';
import { replaced } from '../../edit.js';
import { readTextFile, type TextFile } from './textFile.js';

// Comparing takes quadratic time in the number of changes.
const MOST_CHANGES = 1_000;
const MOST_CHARACTERS = 200_000;

const Edit = z.object({
  old_string: z.string(),
  new_string: z.string(),
  replace_all: z._default(z.boolean(), false),
});
const Write = z.object({ content: z.string() });

/** A call that is asked for, with the files that it was judged by, the real one last. */
export interface AskedChange {
  readonly tool: string;
  readonly input: unknown;
  readonly paths?: readonly string[] | undefined;
}

/**
 * What a call of Edit or Write would make of the file that is there, as a unified diff without its header; nothing where
 * the input says all (a new file), for other tools, and where the call will fail anyhow.
 */
export async function changePreview({ tool, input, paths = [] }: AskedChange): Promise<string | undefined> {
  const path = paths.at(-1);
  if (path === undefined) return undefined;
  try {
    const after = afterCall(tool, input, path);
    if (!after) return undefined;
    const file = await readTextFile(path);
    return await difference(file.text, after(file));
  } catch (error) {
    // The call says what is wrong, if it is allowed.
    if (error instanceof ToolError || isSystemError(error)) return undefined;
    throw error;
  }
}

function afterCall(tool: string, input: unknown, path: string): ((file: TextFile) => string) | undefined {
  const edit = tool === 'Edit' ? Edit.safeParse(input) : undefined;
  if (edit?.success) return (file) => replaced(path, file, { ...edit.data, file_path: path }).text;
  const write = tool === 'Write' ? Write.safeParse(input) : undefined;
  return write?.success ? () => write.data.content.replace(/^\ufeff/, '') : undefined;
}

async function difference(before: string, after: string): Promise<string | undefined> {
  const { createTwoFilesPatch } = await import('diff');
  const patch = createTwoFilesPatch('a', 'b', lf(before), lf(after), undefined, undefined, {
    context: 3,
    maxEditLength: MOST_CHANGES,
  });
  if (patch === undefined || patch.length > MOST_CHARACTERS) return undefined;
  return patch.includes('@@') ? patch.slice(patch.indexOf('@@')).trimEnd() : '(No line changes.)';
}

const lf = (text: string) => text.replaceAll('\r\n', '\n');
