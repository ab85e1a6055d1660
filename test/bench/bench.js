// `npm run bench`: what the short commands cost, as ratios to a bare `node -e 0` measured beside them, pair by pair.
// What searches of a large tree cost, against ripgrep: search.js.
// `npm run bench -- 41` takes as many pairs. Needs Linux, for its team is told alive by /proc.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { searchRows } from './search.js';
import { makeTeam } from './team.js';

const PAIRS = Number(process.argv[2] ?? 31);
const MEMORY_PAIRS = 7;
const SEARCH_PAIRS = 9;
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const PROGRAM = here('../../bin/troupe.js');

const ROWS = [
  { what: 'troupe --version', args: ['--version'], goals: { ratio: 1.3 } },
  { what: 'troupe --help', args: ['--help'], goals: { ratio: 1.3 } },
  { what: 'troupe send', args: ['send', 'reviewer', 'The fix is on its branch.'], goals: { ratio: 1.9, moreMB: 30 } },
  { what: 'troupe status', args: ['status'], goals: { ratio: 1.9, moreMB: 30 } },
];

const folder = mkdtempSync(join(tmpdir(), 'troupe-bench-'));
const env = { ...process.env, TROUPE_HOME: join(folder, 'home') };
// Both cost a bare node more than everything that is measured here.
for (const name of ['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'TROUPE_TEAM', 'TROUPE_MEMBER']) delete env[name];

try {
  makeTeam(env.TROUPE_HOME);
  const rows = ROWS.map(measured);
  const searches = await searchRows(join(folder, 'searches'), SEARCH_PAIRS, env);
  const results = {
    at: new Date().toISOString(),
    node: process.version,
    cpus: cpus().length,
    pairs: PAIRS,
    rows,
    searches,
  };
  writeFileSync(here('results.json'), `${JSON.stringify(results, null, 2)}\n`);
  console.log(tableOf(rows, 'node -e 0'));
  console.log(`\n${tableOf(searches, 'ripgrep')}`);
  console.log('\nWritten to test/bench/results.json');
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function measured({ what, args, goals }) {
  const ours = [PROGRAM, ...args];
  const bare = ['-e', '0'];
  for (const warmUp of [ours, bare]) time(warmUp);
  const pairs = Array.from({ length: PAIRS }, (_, index) => {
    // Who comes first changes from pair to pair.
    if (index % 2 === 0) return [time(ours), time(bare)];
    const bareTime = time(bare);
    return [time(ours), bareTime];
  });
  const more = Array.from({ length: MEMORY_PAIRS }, () => (peakOf(ours) - peakOf(bare)) / 1024);
  return {
    what,
    against: 'node -e 0',
    ms: round(median(pairs.map(([own]) => own))),
    bareMs: round(median(pairs.map(([, other]) => other))),
    ratio: round(median(pairs.map(([own, other]) => own / other))),
    moreMB: round(median(more)),
    goals,
  };
}

function time(args) {
  emptyInbox();
  const begin = process.hrtime.bigint();
  run(args, env);
  return Number(process.hrtime.bigint() - begin) / 1e6;
}

function peakOf(args) {
  const file = join(folder, 'peak');
  rmSync(file, { force: true });
  run(['--require', here('peak.cjs'), ...args], { ...env, BENCH_PEAK_FILE: file });
  return Number(readFileSync(file, 'utf8'));
}

/** As a member that lives would have done. */
function emptyInbox() {
  const delivered = join(env.TROUPE_HOME, 'teams', 'bench', 'inboxes', 'reviewer.d', 'new');
  if (existsSync(delivered)) for (const name of readdirSync(delivered)) rmSync(join(delivered, name));
}

function run(args, environment) {
  const { status, stderr } = spawnSync(process.execPath, args, { env: environment, encoding: 'utf8' });
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}: ${stderr}`);
}

function tableOf(rows, against) {
  const cells = rows.map(({ what, ms, bareMs, ratio, moreMB, goals }) => [
    what,
    `${ms} ms`,
    `${bareMs} ms`,
    `${ratio} ×`,
    `≤ ${goals.ratio} ×`,
    `${round(moreMB)} MB`,
    goals.moreMB === undefined ? '' : `≤ ${goals.moreMB} MB`,
    ratio <= goals.ratio && moreMB <= (goals.moreMB ?? Infinity) ? 'reached' : 'MISSED',
  ]);
  const all = [['what', 'takes', against, 'ratio', 'goal', 'more memory', 'goal', ''], ...cells];
  const widths = all[0].map((_, column) => Math.max(...all.map((row) => row[column].length)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
}

function round(value) {
  return Math.round(value * 100) / 100;
}
