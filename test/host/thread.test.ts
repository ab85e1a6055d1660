import { expect, it } from 'vitest';
import { runInThread, ThreadError } from '../../src/host/thread.js';

const POST = "require('node:worker_threads').parentPort.postMessage";
const run = (script: string, input: unknown = 1, signal = new AbortController().signal) =>
  runInThread(script, { input, signal, maxMemoryMb: 16 });

it('gives what a thread posts first, made of what it is handed, and of the environment nothing', async () => {
  const script = `const { workerData } = require('node:worker_threads'); ${POST}([workerData, { ...process.env }]); ${POST}('late'); for (;;);`;
  expect(await run(script, { a: 1 })).toEqual([{ a: 1 }, {}]);
});

it('says of a thread that throws, is silent, or fills its memory that it did so', async () => {
  await expect(run('throw new Error("broken")')).rejects.toThrow(new ThreadError('broken'));
  await expect(run('')).rejects.toThrow(new ThreadError('it ended with 0 and said nothing'));
  await expect(run('const all = []; for (;;) all.push({ all: [all.length] });')).rejects.toThrow(/memory/);
});

it('ends a thread that is in the middle of something when it is aborted', async () => {
  const abort = new AbortController();
  const running = run('for (;;);', 1, abort.signal);
  abort.abort(new Error('stop'));
  await expect(running).rejects.toThrow('stop');
  await expect(run('', 1, abort.signal)).rejects.toThrow('stop');
});
