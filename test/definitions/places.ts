import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { tempDir } from '../helpers/tempDir.js';

export const agentText = (name: string, description: string, front = '') =>
  `---\nname: ${name}\ndescription: ${description}\n${front}---\nPrompt of ${description}.\n`;

/** A user's home, a repository with a folder to work in, plugins and an administrator's folder, all empty. */
export async function places() {
  const dir = await tempDir();
  const at = (...parts: string[]) => join(dir.path, ...parts);
  const [userHome, repository, plugins, managed] = [at('home'), at('repo'), at('plugins'), at('managed')];
  const cwd = join(repository, 'packages', 'app');
  for (const path of [userHome, plugins, managed, cwd, join(repository, '.git')])
    await mkdir(path, { recursive: true });
  const write = async (file: string, text: string | object) => {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, typeof text === 'string' ? text : JSON.stringify(text));
    return file;
  };
  return {
    at,
    userHome,
    repository,
    plugins,
    managed,
    cwd,
    /** Any file, by its absolute path. */
    write,
    /** A file below `<folder>/.claude/agents`. */
    writeAgent: (folder: string, file: string, text: string) => write(join(folder, '.claude/agents', file), text),
    given: { cwd, userHome, trusted: true, plugins, managed },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}
