// What Grep and Glob take on a tree of 100,000 files, as ratios to ripgrep doing the same beside them, pair by pair; and
// how much more memory they have at their most there than on a small tree.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundledDriver } from './driver.js';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** What ripgrep is told to do the same: to find, to order, and to show no more than a tool's first answer does. */
export const SEARCHES = [
  { what: 'Grep, 100 files of 100,000', tool: 'grep', input: { pattern: 'needle' }, rg: ['-l', '--hidden', 'needle'] },
  {
    what: 'Grep, their lines',
    tool: 'grep',
    input: { pattern: 'needle', output_mode: 'content' },
    rg: ['-n', '--hidden', 'needle'],
  },
  {
    what: 'Grep, a line of every file',
    tool: 'grep',
    input: { pattern: 'const', output_mode: 'content' },
    rg: ['-n', '--hidden', '--sort=path', 'const'],
  },
  {
    what: 'Glob, 25,000 of 100,000',
    tool: 'glob',
    input: { pattern: '**/*.ts' },
    rg: ['--files', '--hidden', '--no-ignore', '--sortr=modified', '-g', '/**/*.ts'],
  },
];

/** @param folder an empty one, for the trees and the bundle; @param env of the programs that are measured */
export async function searchRows(folder, pairs, env) {
  mkdirSync(folder);
  const [large, small] = ['large', 'small'].map((name) => join(folder, name));
  makeTree(large, 100_000);
  makeTree(small, 100);
  const driver = join(folder, 'driver.mjs');
  await bundledDriver('searchDriver.ts', driver);
  return SEARCHES.map((search) => {
    const drive = (root, count, extra = []) => {
      const file = join(folder, 'peak');
      rmSync(file, { force: true });
      const args = ['--require', here('peak.cjs'), driver, root, JSON.stringify({ ...search, pairs: count }), ...extra];
      const { status, stdout, stderr } = spawnSync(process.execPath, args, {
        env: { ...env, BENCH_PEAK_FILE: file },
        encoding: 'utf8',
      });
      if (status !== 0) throw new Error(`${search.what} ended with ${status}: ${stderr}`);
      return { ...JSON.parse(stdout), peak: Number(readFileSync(file, 'utf8')) };
    };
    const { ownMs, rgMs, ratio } = drive(large, pairs);
    const moreMB = (drive(large, 0).peak - drive(small, 0).peak) / 1024;
    return {
      what: search.what,
      against: 'rg',
      ms: ownMs,
      bareMs: rgMs,
      ratio,
      moreMB,
      goals: { ratio: 1.5, moreMB: 30 },
    };
  });
}

function makeTree(root, files) {
  for (let index = 0; index < files; index++) {
    const folder = join(root, `d${index % 40}`, `s${Math.floor(index / 100)}`);
    if (index % 100 < 40) mkdirSync(folder, { recursive: true });
    const found = index % 1000 === 0 ? 'needle\n' : '';
    const name = `f${index % 100}.${index % 4 === 0 ? 'ts' : 'txt'}`;
    writeFileSync(join(folder, name), `one\nconst x${index} = 1;\n${found}end\n`);
  }
}
