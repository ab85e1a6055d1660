import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureHome, homeAt } from '../../src/config/paths.js';
import { tempDir } from '../helpers/tempDir.js';

test('a home that cannot be made is an error that names it and says how to choose another', async () => {
  await using dir = await tempDir();
  await writeFile(join(dir.path, 'file'), '');
  const home = join(dir.path, 'file', 'home');
  await expect(ensureHome(homeAt(home))).rejects.toMatchObject({
    name: 'UserError',
    message: `${home} cannot be made (ENOTDIR): troupe needs a home that it can write to. Choose one: TROUPE_HOME=FOLDER`,
    exitCode: 1,
  });
});
