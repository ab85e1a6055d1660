import { killGroup, type ProcessRef, procStart } from '../../src/host/processes.js';
import { start } from '../../src/host/run.js';
import type { FakeClock } from './fakeClock.js';

export interface SomeProgram extends AsyncDisposable {
  readonly process: ProcessRef;
}

/** A process that runs a line of shell until the test is over. */
export async function someProgram(line: string): Promise<SomeProgram> {
  const child = await start('/bin/sh', ['-c', `echo up; ${line}`]);
  await new Promise((resolve) => child.stdout?.once('data', resolve));
  return {
    process: { pid: child.pid, procStart: (await procStart(child.pid)) ?? '' },
    async [Symbol.asyncDispose]() {
      killGroup(child.pid);
      await child.exited;
    },
  };
}

const STEP_MS = 500;

/** Lets so much time pass for somebody who looks again and again, in steps, or less where they are done before. */
export async function waitsFor(clock: FakeClock, ms: number, over: Promise<unknown>): Promise<void> {
  let isOver = false;
  const done = over.finally(() => (isOver = true)).catch(() => {});
  for (let passed = 0; passed < ms && !isOver; passed += STEP_MS) {
    await Promise.race([done, clock.advance(STEP_MS)]);
  }
}
