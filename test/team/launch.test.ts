import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { takeLaunch, writeLaunch } from '../../src/team/launch.js';
import { launchOf } from '../helpers/team.js';
import { tempDir } from '../helpers/tempDir.js';

const LAUNCH = launchOf({ argv: ['node', 'troupe'], environment: { A: '' } });

test('a launch file is read once and then gone, for it holds secrets', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'bob.json');
  await writeLaunch(path, LAUNCH);
  expect(await takeLaunch(path)).toEqual(LAUNCH);
  await expect(takeLaunch(path)).rejects.toThrow(`No launch file at ${path}: it is read once.`);
});

test('a broken launch file is named, and what is wrong in it', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'bob.json');
  await writeFile(path, '{"argv": [');
  await expect(takeLaunch(path)).rejects.toThrow(`${path} is not JSON`);
  await writeFile(path, JSON.stringify({ ...LAUNCH, mode: 'god' }));
  await expect(takeLaunch(path)).rejects.toThrow(/mode/);
});
