import { readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTaskOutput, FULL } from '../../src/transcript/taskOutput.js';
import { tempDir } from '../helpers/tempDir.js';

test('what is written is there in its order, the last section last, for its user alone', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'task-1.output');
  const output = await createTaskOutput(path);
  for (let n = 0; n < 100; n++) output.write(`${n}\n`);
  await output.finish('the result');
  output.write('too late');
  await output.finish('twice');
  const lines = (await readFile(path, 'utf8')).split('\n');
  expect(lines).toEqual([...Array.from({ length: 100 }, (_, n) => `${n}`), '', 'the result', '']);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('a result alone is the whole file', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'task-1.output');
  await (await createTaskOutput(path)).finish('the result');
  expect(await readFile(path, 'utf8')).toBe('the result\n');
});

test.each(['symbolic link', 'file'])('a %s that lies there already is refused and not written to', async (what) => {
  await using dir = await tempDir();
  const victim = join(dir.path, 'victim');
  const path = join(dir.path, 'task-1.output');
  await writeFile(victim, 'mine');
  await (what === 'file' ? writeFile(path, 'mine') : symlink(victim, path));
  await expect(createTaskOutput(path)).rejects.toThrow('EEXIST');
  expect(await readFile(path, 'utf8')).toBe('mine');
  expect(await readFile(victim, 'utf8')).toBe('mine');
});

test('a dangling link is not followed either', async () => {
  await using dir = await tempDir();
  const target = join(dir.path, 'target');
  await symlink(target, join(dir.path, 'task-1.output'));
  await expect(createTaskOutput(join(dir.path, 'task-1.output'))).rejects.toThrow('EEXIST');
  await expect(stat(target)).rejects.toThrow('ENOENT');
});

test('past its cap there is a marker, the writer is told once, and the result still has room', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'task-1.output');
  let full = 0;
  const output = await createTaskOutput(path, { maxBytes: 10_000, onFull: () => full++ });
  for (let n = 0; n < 1000; n++) output.write(`${'é'.repeat(50)}\n`);
  await output.finish('the result');
  expect(full).toBe(1);
  const text = await readFile(path, 'utf8');
  expect((await stat(path)).size).toBeLessThanOrEqual(10_000);
  expect(text).not.toContain('\uFFFD');
  expect(text.endsWith(`${FULL}\nthe result\n`)).toBe(true);
  expect(text.split('é').length).toBeGreaterThan(2000);
});

test('a result that is larger than the cap is cut to it', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'task-1.output');
  const output = await createTaskOutput(path, { maxBytes: 1000 });
  await output.finish('😀'.repeat(5000));
  const text = await readFile(path, 'utf8');
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1000);
  expect(text).toMatch(/^(😀)+$/u);
});

test('the last thousand lines are at hand', async () => {
  await using dir = await tempDir();
  const output = await createTaskOutput(join(dir.path, 'task-1.output'));
  for (let n = 0; n < 1500; n++) output.write(`${n}\n`);
  output.write('half ');
  output.write('a line');
  expect(output.lastLines()).toHaveLength(1000);
  expect(output.lastLines().slice(-2)).toEqual(['1499', 'half a line']);
  await output.finish('');
});
