import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { homeAt } from '../../src/config/paths.js';
import { openTrust } from '../../src/config/trust.js';
import { tempDir } from '../helpers/tempDir.js';

async function world() {
  const dir = await tempDir();
  const project = join(dir.path, 'project');
  await mkdir(join(project, 'sub'), { recursive: true });
  return {
    path: dir.path,
    project,
    trust: openTrust(homeAt(join(dir.path, 'home'))),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

test('nothing is trusted until somebody says so; then the folder is and everything below it, but nothing beside it', async () => {
  await using w = await world();
  expect(await w.trust.isTrusted(w.project)).toBe(false);
  await w.trust.trust(w.project);
  expect(
    await Promise.all(
      ['project', 'project/sub', '.', 'project-2'].map((folder) => w.trust.isTrusted(join(w.path, folder))),
    ),
  ).toEqual([true, true, false, false]);
});

test('a symbolic link is worth what it points to, and trusting one trusts its target', async () => {
  await using w = await world();
  const link = join(w.path, 'link');
  await mkdir(join(w.path, 'other'));
  await symlink(w.project, link);
  await w.trust.trust(link);
  await symlink(join(w.path, 'other'), join(w.project, 'out'));
  expect(await w.trust.list()).toEqual([w.project]);
  expect([await w.trust.isTrusted(link), await w.trust.isTrusted(join(w.project, 'out'))]).toEqual([true, false]);
});

test('untrusting tells whether there was anything to forget', async () => {
  await using w = await world();
  await w.trust.trust(w.project);
  expect([await w.trust.untrust(w.project), await w.trust.untrust(w.project), await w.trust.list()]).toEqual([
    true,
    false,
    [],
  ]);
});

test('many at once are all kept', async () => {
  await using w = await world();
  const folders = Array.from({ length: 8 }, (_, i) => join(w.path, `f${i}`));
  for (const folder of folders) await mkdir(folder);
  await Promise.all(folders.map((folder) => w.trust.trust(folder)));
  expect(await w.trust.list()).toEqual(folders);
});

test('a folder that is not there cannot be trusted', async () => {
  await using w = await world();
  await expect(w.trust.trust(join(w.path, 'none'))).rejects.toThrow(/There is no folder .*none/);
});

test('a no is remembered for that folder until it is trusted after all', async () => {
  await using at = await world();
  expect(await at.trust.isDeclined(at.project)).toBe(false);
  await at.trust.decline(at.project);
  expect([await at.trust.isDeclined(at.project), await at.trust.isTrusted(at.project)]).toEqual([true, false]);
  expect(await at.trust.isDeclined(join(at.project, 'sub'))).toBe(false);
  await at.trust.trust(at.project);
  expect([await at.trust.isDeclined(at.project), await at.trust.isTrusted(at.project)]).toEqual([false, true]);
});
