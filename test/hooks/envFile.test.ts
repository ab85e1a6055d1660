import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { variablesIn } from '../../src/hooks/envFile.js';
import { tempDir } from '../helpers/tempDir.js';

const BASE = { PATH: process.env['PATH'] ?? '', KEPT: 'as it was' };

test('what hooks have written is read as bash would: variables that are new or other, whatever is in them', async () => {
  await using dir = await tempDir();
  const file = join(dir.path, 'env.sh');
  await writeFile(
    file,
    `export A='one\ntwo'\nB="$KEPT, and more"\nexport KEPT="as it was"\nexport PATH="$PATH:/x"\necho noise\ncd /\n`,
  );
  expect(await variablesIn(file, BASE, dir.path)).toEqual({
    A: 'one\ntwo',
    B: 'as it was, and more',
    PATH: `${BASE.PATH}:/x`,
  });
});

test('what bash cannot read counts for nothing, with its words', async () => {
  await using dir = await tempDir();
  const file = join(dir.path, 'env.sh');
  await writeFile(file, 'export A=(\n');
  await expect(variablesIn(file, BASE, dir.path)).rejects.toThrow(/env.sh: line/);
});
