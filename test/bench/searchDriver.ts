// Runs one search, as bench/search.js describes it, against ripgrep in the folder that it is given. With no pairs: once.
import { spawnSync } from 'node:child_process';
import { rgPath } from '@vscode/ripgrep';
import { globTool } from '../../src/tools/glob.js';
import { grepTool } from '../../src/tools/grep.js';
import { createReadLedger } from '../../src/tools/support/files/readLedger.js';

const [, , root = '.', described = ''] = process.argv;
const { tool, input, rg, pairs } = JSON.parse(described);

async function own(): Promise<void> {
  const context = {
    cwd: root,
    signal: new AbortController().signal,
    toolUseId: 'bench',
    mode: 'default',
    readLedger: createReadLedger(),
  } as const;
  await (tool === 'glob' ? globTool : grepTool).prepare(input, context).run();
}

function ripgrep(): void {
  spawnSync(rgPath, ['--no-config', ...rg, '.'], { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}

async function timed(work: () => Promise<void> | void): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const round = (value: number) => Math.round(value * 100) / 100;

await own();
const times: [own: number, other: number][] = [];
if (pairs > 0) ripgrep();
for (let pair = 0; pair < pairs; pair++) {
  // Who comes first changes from pair to pair.
  const before = pair % 2 === 0 ? undefined : await timed(ripgrep);
  const ownTime = await timed(own);
  times.push([ownTime, before ?? (await timed(ripgrep))]);
}
process.stdout.write(
  JSON.stringify({
    ownMs: round(median(times.map(([time]) => time))),
    rgMs: round(median(times.map(([, time]) => time))),
    ratio: round(median(times.map(([time, other]) => time / other))),
  }),
);
