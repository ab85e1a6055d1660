// Plays the demo for many seeds through the shipped program, with the same script, and says of each how it ended:
// the program's exit code, what the repository's own test says, and how many lines the merged commit changed.
//
//   node test/e2e/seeds.mjs [seeds=10] [first=1] [program=bin/troupe.js]
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
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
  const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, TROUPE_HOME: join(folder, 'home') };
  const started = performance.now();
  const demo = spawnSync(process.execPath, [program, 'demo', '--seed', String(seed)], { cwd: folder, env });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const repository = repositoryIn(folder);
  if (repository === undefined) {
    console.log(`seed ${seed}: exit ${demo.status}, and no repository. ${demo.stderr}`);
    return false;
  }
  const test = spawnSync('npm', ['test'], { cwd: repository, env });
  const commits = git(repository, 'rev-list', '--count', 'HEAD');
  const change = git(repository, 'diff', '--shortstat', `${git(repository, 'rev-list', '--max-parents=0', 'HEAD')}`);
  const subject = git(repository, 'log', '-1', '--no-merges', '--format=%s');
  console.log(`seed ${seed}: exit ${demo.status}, test ${test.status}, ${seconds} s,${change}: ${subject}`);
  if (demo.status !== 0) console.log(String(demo.stderr));
  return demo.status === 0 && test.status === 0 && commits === '3';
}

function repositoryIn(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const found = files.find((file) => file.endsWith('ISSUE.md') && !file.includes('.claude'));
  return found === undefined ? undefined : join(folder, dirname(found));
}

function git(cwd, ...args) {
  return execFileSync('git', args, { cwd, encoding: 'utf8' }).replace(/\n$/, '');
}
