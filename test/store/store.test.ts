import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { run } from '../../src/host/run.js';
import { writeAtomic } from '../../src/store/atomicFile.js';
import { jsonFile, readJson } from '../../src/store/jsonFile.js';
import { appendLines, parseLines, readLines, readRecords } from '../../src/store/jsonLines.js';
import { withLock } from '../../src/store/lock.js';
import { createExclusive, openSpool } from '../../src/store/spool.js';
import { tempDir } from '../helpers/tempDir.js';

const Counter = z.object({ n: z.number() });

test('a file is replaced whole or not at all, and no draft is left', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'file');
  await writeAtomic(path, 'old');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const refuse = () => {
    throw new Error('not ours any more');
  };
  await expect(writeAtomic(path, 'new', { beforeRename: refuse })).rejects.toThrow('not ours');
  await expect(writeAtomic(join(dir.path, 'no', 'folder'), 'x')).rejects.toThrow('ENOENT');
  expect([await readFile(path, 'utf8'), await readdir(dir.path)]).toEqual(['old', ['file']]);
});

test('of many that change a JSON file at once, none is lost', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'n.json');
  const add = () => jsonFile(path, Counter).update((current) => ({ n: (current?.n ?? 0) + 1 }));
  await Promise.all(Array.from({ length: 20 }, add));
  expect(await readJson(path, Counter)).toEqual({ n: 20 });
  expect(await readdir(dir.path)).toEqual(['n.json']);
});

test('a change that throws leaves the file and frees the lock', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'n.json');
  const file = jsonFile(path, Counter);
  await file.update(() => ({ n: 1 }));
  const broken = () => {
    throw new Error('no');
  };
  await expect(file.update(broken)).rejects.toThrow('no');
  expect(await file.update((current) => ({ n: (current?.n ?? 0) + 1 }))).toEqual({ n: 2 });
});

test('a broken JSON file is named, with what is wrong; a missing one is none', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'n.json');
  expect(await readJson(path, Counter)).toBeUndefined();
  await writeFile(path, '{"n":');
  await expect(readJson(path, Counter)).rejects.toThrow(`${path} is not JSON`);
  await writeFile(path, '{"n":"one"}');
  await expect(readJson(path, Counter)).rejects.toThrow(`${path} is not what it should be`);
});

test('under a lock there is one at a time, and a killed holder’s lock is outlived', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'x');
  let inside = 0;
  let most = 0;
  const work = () =>
    withLock(path, async () => {
      most = Math.max(most, ++inside);
      await new Promise((resolve) => setImmediate(resolve));
      inside--;
    });
  await Promise.all([work(), work(), work(), work()]);
  expect(most).toBe(1);
  await mkdir(`${path}.lock`);
  const { utimes } = await import('node:fs/promises');
  await utimes(`${path}.lock`, 0, 0);
  await work();
  expect(await readdir(dir.path)).toEqual([]);
});

test('those of one process get a lock in the order in which they ask for it', async () => {
  await using dir = await tempDir();
  const order: number[] = [];
  const asked = Array.from({ length: 30 }, (_, n) => n);
  await Promise.all(asked.map((n) => withLock(join(dir.path, 'x'), async () => void order.push(n))));
  expect(order).toEqual(asked);
});

/** Counts `n.json` up under its lock, with the lock's own library. */
const OTHER_PROCESS = `
import { readFileSync, writeFileSync } from 'node:fs';
import lockfile from 'proper-lockfile';
const path = process.argv[1];
const options = { realpath: false, lockfilePath: path + '.lock', retries: { retries: 1000, minTimeout: 5, maxTimeout: 20 } };
for (let time = 0; time < 20; time++) {
  const release = await lockfile.lock(path, options);
  const { n } = JSON.parse(readFileSync(path, 'utf8'));
  await new Promise(setImmediate);
  writeFileSync(path, JSON.stringify({ n: n + 1 }));
  await release();
}`;

test('a lock holds off other processes too', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'n.json');
  const file = jsonFile(path, Counter);
  await file.update(() => ({ n: 0 }));
  const others = [1, 2].map(() =>
    run(process.execPath, ['--input-type=module', '--eval', OTHER_PROCESS, path], { cwd: import.meta.dirname }),
  );
  await Promise.all(
    Array.from({ length: 20 }, () => file.update((current) => ({ n: (current?.n ?? Number.NaN) + 1 }))),
  );
  for (const { exitCode, stderr } of await Promise.all(others)) expect(exitCode, stderr).toBe(0);
  expect(await file.read()).toEqual({ n: 60 });
});

test('lines: a torn last one is left out in silence, a broken one in the middle is reported by its number', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'lines.jsonl');
  expect(await readLines(path)).toEqual({ records: [], broken: [] });
  await appendLines(path, []);
  expect(await readdir(dir.path)).toEqual([]);
  await appendLines(path, [{ n: 1 }, { n: 'two' }], { durable: true });
  expect(await readRecords(path, Counter)).toEqual({ records: [{ n: 1 }], broken: [2] });
  expect(parseLines('{"n":1}\nwhat\n\n{"n":2}\n{"n":')).toEqual({ records: [{ n: 1 }, { n: 2 }], broken: [2] });
});

test.skipIf(process.platform !== 'linux')(
  'lines that a full disk does not take are an error that names the file',
  async () => {
    await expect(appendLines('/dev/full', [{ n: 1 }])).rejects.toMatchObject({
      path: '/dev/full',
      message: expect.stringMatching(/ENOSPC.*'\/dev\/full'/),
    });
  },
);

test('of many that make one file exactly one is told that it did', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'answer.json');
  const made = await Promise.all(Array.from({ length: 20 }, (_, index) => createExclusive(path, `${index}`)));
  expect(made.filter(Boolean).length).toBe(1);
  expect(await readFile(path, 'utf8')).toBe(`${made.indexOf(true)}`);
  expect(await readdir(dir.path)).toEqual(['answer.json']);
});

test('a spool makes its own folder and nothing above it', async () => {
  await using dir = await tempDir();
  const spool = openSpool(join(dir.path, 'bob.d'));
  expect(spool.list()).toEqual([]);
  await spool.deliver('b', '2');
  await spool.deliver('a', '1');
  expect([spool.list(), await spool.read('a'), await spool.read('gone')]).toEqual([['a', 'b'], '1', undefined]);
  await spool.remove('a');
  await spool.remove('a');
  expect(await readdir(join(dir.path, 'bob.d', 'tmp'))).toEqual([]);
  await expect(openSpool(join(dir.path, 'team', 'bob.d')).deliver('a', '1')).rejects.toThrow('ENOENT');
  expect(await readdir(dir.path)).toEqual(['bob.d']);
});

test.skipIf(process.getuid?.() === 0)('a delivery that cannot be put in place leaves no draft', async () => {
  await using dir = await tempDir();
  const spool = openSpool(join(dir.path, 'bob.d'));
  await spool.prepare();
  await chmod(join(dir.path, 'bob.d', 'new'), 0o500);
  await expect(spool.deliver('a', '1')).rejects.toThrow('EACCES');
  expect(await readdir(join(dir.path, 'bob.d', 'tmp'))).toEqual([]);
});
