import { existsSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { launchIdOf, takeLaunch, writeLaunch } from '../../../src/team/start/launch.js';
import { launchOf } from '../../helpers/team.js';
import { tempDir } from '../../helpers/tempDir.js';

const LAUNCH = launchOf({ argv: ['node', 'troupe'], environment: { A: '' } });

test('a launch file is read once and then gone, for it holds secrets', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'bob.json');
  await writeLaunch(path, LAUNCH);
  expect(await takeLaunch(path)).toEqual(LAUNCH);
  await expect(takeLaunch(path)).rejects.toThrow(`No launch file at ${path}: it is read once.`);
});

test('of several that come for a launch file one gets it', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'bob.json');
  await writeLaunch(path, LAUNCH);
  const readers = [undefined, launchIdOf(LAUNCH), undefined, launchIdOf(LAUNCH)];
  const taken = await Promise.allSettled(readers.map((launchId) => takeLaunch(path, launchId)));
  expect(taken.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected']);
  expect(await readdir(dir.path)).toEqual([]);
});

test('a process that comes late does not take the launch file of the start after its own', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'bob.json');
  const later = { ...LAUNCH, generation: 2 };
  await writeLaunch(path, later);
  await expect(takeLaunch(path, launchIdOf(LAUNCH))).rejects.toMatchObject({
    message: '"bob" of red was started anew before this process was ready.',
    exitCode: 0,
  });
  expect(await takeLaunch(path, launchIdOf(later))).toEqual(later);
});

test('a broken launch file is named, and what is wrong in it', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'bob.json');
  await writeFile(path, '{"argv": [');
  await expect(takeLaunch(path)).rejects.toThrow(`${path} is not JSON`);
  await writeFile(path, JSON.stringify({ ...LAUNCH, mode: 'god' }));
  await expect(takeLaunch(path)).rejects.toThrow(/mode/);
  expect(existsSync(path)).toBe(false);
});
