import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { linesBehind } from '../../src/store/growingFile.js';
import { onceChanged } from '../../src/store/onceChanged.js';
import { tempDir } from '../helpers/tempDir.js';

test('a growing file is read on from where it was left, whole lines only', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'log');
  expect(await linesBehind(path, 0)).toEqual({ text: '', from: 0, end: 0 });
  await writeFile(path, 'one\ntwo\nhal');
  const first = await linesBehind(path, 0);
  expect(first).toEqual({ text: 'one\ntwo\n', from: 0, end: 8 });
  expect((await linesBehind(path, first.end)).text).toBe('');
  await appendFile(path, 'f é\n');
  expect((await linesBehind(path, first.end)).text).toBe('half é\n');
  await writeFile(path, 'new\n');
  expect((await linesBehind(path, first.end)).text).toBe('new\n');
});

test('of a long file only the end is read, from the beginning of a line; of a longer line as much as it takes', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'log');
  await writeFile(path, `${'x'.repeat(50)}\n${'é'.repeat(5)}\nend\n`);
  expect(await linesBehind(path, 0, 8)).toEqual({ text: 'end\n', from: 62, end: 66 });
  expect(await linesBehind(path, 0, 1000)).toMatchObject({ from: 0, end: 66 });
  await writeFile(path, `a\n${'x'.repeat(50)}\n`);
  expect((await linesBehind(path, 0, 4)).text).toBe(`a\n${'x'.repeat(50)}\n`);
});

test('what has not changed is not read again, once it has been read twice', async () => {
  const look = onceChanged<number>();
  let reads = 0;
  const seen: number[] = [];
  for (const print of ['a', 'a', 'a', 'a', 'b', 'b', 'b', 'a']) seen.push(await look(print, async () => ++reads));
  expect(seen).toEqual([1, 2, 2, 2, 3, 4, 4, 5]);
});
