// Plays the demo for many seeds through the shipped program, with the same script, and says of each how it ended:
// the program's exit code, what the repository's own test says, and how many lines the merged commit changed.
//
//   node test/e2e/seeds.mjs [seeds=10] [first=1] [program=bin/troupe.js]
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const seeds = Number(process.argv[2] ?? 10);
const first = Number(process.argv[3] ?? 1);
const program = process.argv[4] ?? fileURLToPath(new URL('../../bin/troupe.js', import.meta.url));

const failed = Array.from({ length: seeds }, (_, index) => first + index).filter((seed) => !isMended(seed));
console.log(failed.length === 0 ? `All ${seeds} seeds are mended.` : `Not mended: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 ? 0 : 1;

function isMended(seed) {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-seeds-'));
  try {
    return play(seed, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function play(seed, folder) {
  const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder };
  const started = performance.now();
  const args = [program, 'demo', '--json', '--seed', String(seed)];
  const demo = spawnSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8', timeout: 120_000 });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (demo.stdout === '') {
    console.log(`seed ${seed}: exit ${demo.status}\n${demo.stderr}`);
    return false;
  }
  const { repository } = JSON.parse(demo.stdout);
  const test = spawnSync('npm', ['test'], { cwd: repository, env });
  const commits = git(repository, 'rev-list', '--count', 'HEAD');
  const change = git(repository, 'diff', '--shortstat', git(repository, 'rev-list', '--max-parents=0', 'HEAD'));
  const subject = git(repository, 'log', '-1', '--no-merges', '--format=%s');
  console.log(`seed ${seed}: exit ${demo.status}, test ${test.status}, ${seconds} s,${change}: ${subject}`);
  if (demo.status !== 0) console.log(demo.stderr);
  return demo.status === 0 && test.status === 0 && commits === '3';
}

function git(cwd, ...args) {
  return execFileSync('git', args, { cwd, encoding: 'utf8' }).replace(/\n$/, '');
}
