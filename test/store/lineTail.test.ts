import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { mendTail } from '../../src/store/lineTail.js';
import { tempDir } from '../helpers/tempDir.js';

const long = JSON.stringify({ n: 2, text: 'x'.repeat(300_000) });

test.each([
  ['an empty file', '', undefined, ''],
  ['whole lines', '{"n":1}\n{"n":2}\n', { n: 2 }, '{"n":1}\n{"n":2}\n'],
  ['a torn last line', '{"n":1}\n{"n":', { n: 1 }, '{"n":1}\n'],
  ['a last line that lacks its end alone', '{"n":1}\n{"n":2}', { n: 2 }, '{"n":1}\n{"n":2}\n'],
  ['nothing but a torn line', '{"n":', undefined, ''],
  ['a broken line at the end', '{"n":1}\nwhat\n\n', { n: 1 }, '{"n":1}\nwhat\n\n'],
  ['a line longer than a look', `{"n":1}\n${long}\n`, JSON.parse(long), `{"n":1}\n${long}\n`],
  ['a torn line longer than a look', `{"n":1}\n${long.slice(0, -1)}`, { n: 1 }, '{"n":1}\n'],
])('%s is continued behind its last whole line', async (_, content, last, mended) => {
  await using dir = await tempDir();
  const path = join(dir.path, 'lines.jsonl');
  await writeFile(path, content);
  const file = await open(path, 'a+');
  expect((await mendTail(file)).last).toEqual(last);
  await file.close();
  expect(await readFile(path, 'utf8')).toBe(mended);
});
