import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInGroup } from '../../src/host/group.js';
import { procStart } from '../../src/host/processes.js';
import { eventually } from '../helpers/eventually.js';
import { tempDir } from '../helpers/tempDir.js';

// The first ends as soon as it is asked, the second has a word to say before, the third does not listen.
const SCRIPT = `
sh -c 'trap "echo asked > asked; exit" TERM; echo $$ > second; while :; do sleep 0.02; done' &
sh -c 'trap "" TERM; echo $$ > third; while :; do sleep 0.02; done' &
wait`;

test('a signal ends a program with what it has started, whatever that thinks of it', async () => {
  await using dir = await tempDir();
  const stop = new AbortController();
  const running = runInGroup('sh', ['-c', SCRIPT], { cwd: dir.path, signal: stop.signal });
  const pidIn = (file: string) =>
    eventually(async () => {
      const pid = Number(await readFile(join(dir.path, file), 'utf8'));
      expect(pid).toBeGreaterThan(0);
      return pid;
    });
  const pids = [await pidIn('second'), await pidIn('third')];
  stop.abort();
  expect((await running).exitCode).not.toBe(0);
  expect(await readFile(join(dir.path, 'asked'), 'utf8')).toBe('asked\n');
  await eventually(async () => expect(await Promise.all(pids.map(procStart))).toEqual([undefined, undefined]));
  await expect(runInGroup('true', [], { signal: stop.signal })).rejects.toThrow();
});

test('else it is as any other run', async () => {
  const cat = ['-c', 'cat; echo "$WORD" >&2; exit 3'];
  expect(await runInGroup('sh', cat, { input: 'in', env: { WORD: 'err', PATH: '/usr/bin:/bin' } })).toEqual({
    exitCode: 3,
    stdout: 'in',
    stderr: 'err\n',
  });
});
