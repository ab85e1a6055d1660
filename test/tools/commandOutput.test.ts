import { join } from 'node:path';
import { expect, it } from 'vitest';
import { run } from '../../src/host/run.js';
import { createCommandOutput } from '../../src/tools/support/commandOutput.js';
import { tempDir } from '../helpers/tempDir.js';

it('keeps beginning and end of what is printed, and says how much of the middle is gone', async () => {
  await using dir = await tempDir();
  const output = await createCommandOutput(join(dir.path, 'deep/x.output'), 40_000);
  const print = (text: string) => run('sh', ['-c', 'printf %s "$1" >> "$2"', 'sh', text, output.path]);
  await print(`start${'a'.repeat(60_000)}`);
  await output.trim();
  await print('b'.repeat(20_000));
  await output.trim();
  await print('end');
  const { text, isWhole } = await output.read(100_000);
  await output.close();
  expect(isWhole).toBe(true);
  expect(text).toMatch(/^starta{19995}\n\n\[… \d+ bytes left out\. They were not kept\. …\]\n\nb{16384}end$/);
});

it('never cuts a character in two', async () => {
  await using dir = await tempDir();
  const output = await createCommandOutput(join(dir.path, 'x.output'));
  await run('sh', ['-c', 'for i in 1 2 3 4 5 6 7 8; do printf "a😀😀😀"; done >> "$1"', 'sh', output.path]);
  for (let limit = 9; limit < 24; limit++) {
    const { text } = await output.read(limit);
    expect(text.isWellFormed()).toBe(true);
  }
  await output.close();
});
