import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { signalGroup } from '../../src/host/processes.js';
import { run, start } from '../../src/host/run.js';
import { createCommandOutput } from '../../src/tools/support/shell/commandOutput.js';
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

it('loses nothing of what is printed while it drops the middle, where the printers can be paused', async () => {
  await using dir = await tempDir();
  const output = await createCommandOutput(join(dir.path, 'x.output'), 40_000);
  const printing = await start('bash', ['-c', 'for ((i = 1; i <= 60000; i++)); do echo $i; done; echo end'], {
    output: output.descriptor,
  });
  const printers = {
    pause: () => signalGroup(printing.pid, 'SIGSTOP'),
    resume: () => signalGroup(printing.pid, 'SIGCONT'),
  };
  let isOver = false;
  const exited = printing.exited.then(() => {
    isOver = true;
  });
  while (!isOver) {
    await output.trim(printers);
    // It may look without letting anybody else come to word.
    await setImmediate();
  }
  await exited;
  const { text } = await output.read(1_000_000);
  await output.close();
  const [, last = ''] = text.split(/\[… \d+ bytes left out\. They were not kept\. …\]\n\n/);
  const lines = last.split('\n').slice(1, -1);
  expect(lines.at(-1)).toBe('end');
  const numbers = lines.slice(0, -1).map(Number);
  expect(numbers).toEqual(numbers.map((_, index) => 60_000 - numbers.length + 1 + index));
});
