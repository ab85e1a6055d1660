import * as z from 'zod/mini';
import { defineTool, type Tool, type ToolContext } from '../agent/tool.js';
import { ToolError } from '../util/errors.js';
import { diffOf } from './support/files/diff.js';
import { absolutePath, judgedPaths, realPathOf, resolvedNote } from './support/files/paths.js';
import { replaceFile, requireRead, stateOrNothing } from './support/files/replaceFile.js';
import { encodeText, readTextFile } from './support/files/textFile.js';

export interface EditHooks {
  /** Called with the real path of each file that was written. */
  readonly onEdit?: (path: string) => Promise<void>;
}

export function createWriteTool({ onEdit }: EditHooks = {}): Tool {
  return defineTool({
    name: 'Write',
    description:
      'Writes a whole file, with the folders it needs. An existing file must have been read first, and whole. Prefer Edit for changing a part.',
    input: z.object({
      file_path: z.string().check(z.minLength(1), z.describe('Absolute path')),
      content: z.string(),
    }),
    isReadOnly: false,
    access: ({ file_path }, { cwd }) => ({ kind: 'write', paths: judgedPaths(absolutePath(file_path, cwd)) }),
    async call({ file_path, content }, context) {
      if (/\/$/.test(file_path))
        throw new ToolError(`${file_path} names a folder, by the slash at its end. Give the path of a file.`);
      const named = absolutePath(file_path, context.cwd);
      const path = realPathOf(named);
      const result = (await stateOrNothing(path))
        ? await overwrite(path, content, context)
        : await create(path, content, context);
      await onEdit?.(path);
      return `${result}${resolvedNote(file_path, named)}`;
    },
  });
}

async function create(path: string, content: string, context: ToolContext): Promise<string> {
  await replaceFile(path, content, undefined, context);
  return `Created ${path} (${content.split('\n').length - (content.endsWith('\n') ? 1 : 0)} lines).`;
}

async function overwrite(path: string, content: string, context: ToolContext): Promise<string> {
  const before = await readTextFile(path);
  if (requireRead(path, before.state, context).partial) {
    throw new ToolError(
      `Only a part of ${path} was read. Read the rest in one go (a larger limit), or change it with Edit.`,
    );
  }
  const after = content.replace(/^\ufeff/, '');
  await replaceFile(path, encodeText(path, after, before), before.state, context);
  return `Wrote ${path}.\n${await diffOf(path, before.text.replaceAll('\r\n', '\n'), after.replaceAll('\r\n', '\n'))}`;
}
