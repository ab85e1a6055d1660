import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eachRecord, streamLines } from '../../src/store/lineStream.js';
import { tempDir } from '../helpers/tempDir.js';

async function linesOf(path: string, options?: Parameters<typeof streamLines>[1]): Promise<(string | undefined)[]> {
  const lines: (string | undefined)[] = [];
  for await (const line of streamLines(path, options)) lines.push(line);
  return lines;
}

test('a file comes line by line, the last one without its end too, whichever chunks the disk gives', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'lines');
  // Over the border between two chunks, with characters of several bytes on it.
  const lines = ['a', '', '\u20ac'.repeat(700_000), 'b', '\u20ac'.repeat(400_000), 'torn'];
  await writeFile(path, lines.join('\n'));
  expect((await linesOf(path)).map((line) => line === undefined || lines.indexOf(line))).toEqual([0, 1, 2, 3, 4, 5]);
});

test('a line that is too long is named and not kept, those around it are', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'lines');
  await writeFile(path, `a\n${'x'.repeat(3_000_000)}\nb\n`);
  expect(await linesOf(path, { maxBytes: 1000 })).toEqual(['a', undefined, 'b']);
});

test('there is nothing in a file that is not there, in an empty one and in a folder', async () => {
  await using dir = await tempDir();
  await writeFile(join(dir.path, 'empty'), '');
  expect(await linesOf(join(dir.path, 'none'))).toEqual([]);
  expect(await linesOf(join(dir.path, 'empty'))).toEqual([]);
  expect(await linesOf(dir.path)).toEqual([]);
});

test('every record is handed over, and lines that are none or are not known are counted', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'records');
  await writeFile(path, '{"n":1}\nno JSON\n\n{"n":2}\n{"other":3}\n{"n":');
  const taken: unknown[] = [];
  const take = (record: unknown) => {
    taken.push(record);
    return JSON.stringify(record).includes('"n"');
  };
  expect(await eachRecord(path, take)).toBe(3);
  expect(taken).toEqual([{ n: 1 }, { n: 2 }, { other: 3 }]);
});
