// What must not cost the processor more with the years, each beside the same where there is nothing yet: growthDriver.ts.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { bundledDriver } from './driver.js';

/** @param folder an empty one; @param env of the programs that are measured; @param quick few and small */
export async function growthRows(folder, env, quick) {
  mkdirSync(folder);
  const driver = join(folder, 'driver.mjs');
  await bundledDriver('growthDriver.ts', driver);
  const size = quick
    ? { rounds: 9, history: 1000, sent: 10_000, megabytes: 20 }
    : { rounds: 41, history: 10_000, sent: 100_000, megabytes: 200 };
  const { status, stdout, stderr } = spawnSync(process.execPath, [driver, folder, JSON.stringify(size)], {
    env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`growthDriver.ts ended with ${status}: ${stderr}`);
  const { poll, send, append } = JSON.parse(stdout);
  const row = (what, value) => ({ what, value: Math.round(value * 100) / 100, unit: '×', goal: 1.1, against: 'of 0' });
  return [
    row(`a look into an idle inbox with ${size.history} read messages`, poll),
    row(`one send into an inbox of ${size.sent} read messages`, send),
    row(`a line of a transcript of ${size.megabytes} MB`, append),
  ];
}
