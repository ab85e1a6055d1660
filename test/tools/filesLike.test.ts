import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { judge } from '../../src/permissions/judge.js';
import { parseRule } from '../../src/permissions/rule.js';
import { loadShell } from '../../src/permissions/shell/load.js';
import { filesLike } from '../../src/tools/support/files/filesLike.js';
import { tempDir } from '../helpers/tempDir.js';
import { idleBash, toolContext } from './context.js';

async function project() {
  const dir = await tempDir();
  for (const folder of ['secrets', 'src']) await mkdir(join(dir.path, folder));
  for (const file of ['.env', 'secrets/key', 'src/a.ts', 'src/b.ts']) await writeFile(join(dir.path, file), '');
  return dir;
}

it('finds what a pattern names, hidden files only where it says so', async () => {
  await using dir = await project();
  const names = (pattern: string) => filesLike(join(dir.path, pattern)).map((file) => file.slice(dir.path.length + 1));
  expect(names('*')).toEqual(['secrets', 'src']);
  expect(names('.e*')).toEqual(['.env']);
  expect(names('s*/[ab].ts')).toEqual(['src/a.ts', 'src/b.ts']);
  expect(names('s?c/[!a].ts')).toEqual(['src/a.ts', 'src/b.ts']);
  expect(names('[[:alpha:]]rc/a.ts')).toEqual([]);
  expect(names('no*/x')).toEqual([]);
});

it('refuses a command whose pattern names a file that a rule keeps from it, in every mode', async () => {
  await using dir = await project();
  const tool = idleBash();
  const place = { cwd: dir.path, home: '/nobody', folders: [dir.path], protectedRoots: [], allowedPaths: [] };
  const verdict = async (command: string) => {
    const rules = {
      allow: [parseRule('Bash(cat *)')],
      ask: [],
      deny: ['Read(.env)', 'Read(secrets/**)'].map((rule) => parseRule(rule)),
    };
    const { access } = tool.prepare({ command }, toolContext(dir.path));
    const script = (await loadShell())(command, place);
    const kinds = (['default', 'bypassPermissions'] as const).map(
      (mode) => judge({ tool, access, script }, { ...place, mode, rules }).kind,
    );
    return [...new Set(kinds)].join(' or ');
  };
  for (const command of [
    'cat .e*',
    'cat .??v',
    'cat sec*/key',
    'cat s[e]crets/*',
    'ls && cat ./s*/k?y',
    'cat < sec*/key',
  ])
    expect(await verdict(command), command).toBe('deny');
  for (const command of ['cat src/*', 'cat s*/*.ts']) expect(await verdict(command), command).toBe('allow');
});
