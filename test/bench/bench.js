// `npm run bench`: what the short commands cost, as ratios to a bare `node -e 0` measured beside them, pair by pair.
// What searches of a large tree cost, against ripgrep: search.js.
// What teams cost while they run: teams.js. What must not cost more with the years: growth.js.
// `npm run bench -- 41` takes as many pairs; `--quick` few and small ones, for a first look; `--only commands`, `searches`,
// `teams` or `growth` a part. Needs Linux, for its team is told alive by /proc.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { growthRows } from './growth.js';
import { startModelServer } from './modelServer.js';
import { searchRows } from './search.js';
import { makeTeam } from './team.js';
import { teamRows } from './teams.js';

const { values, positionals } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
  allowPositionals: true,
});
const { quick, only } = values;
const PAIRS = Number(positionals[0] ?? (quick ? 5 : 31));
const MEMORY_PAIRS = quick ? 1 : 7;
const SEARCH_PAIRS = quick ? 1 : 9;
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const PROGRAM = here('../../bin/troupe.js');

const ROWS = [
  { what: 'troupe --version', args: ['--version'], goals: { ratio: 1.3 } },
  { what: 'troupe --help', args: ['--help'], goals: { ratio: 1.3 } },
  { what: 'troupe send', args: ['send', 'reviewer', 'The fix is on its branch.'], goals: { ratio: 1.9, moreMB: 30 } },
  { what: 'troupe status', args: ['status'], goals: { ratio: 1.9, moreMB: 30 } },
  // Two looks that must be equal are 0.2 s apart: the run of a team takes them whatever else it does.
  { what: 'troupe run, one turn', args: ['run', 'Say hello.'], goals: { ratio: 15, moreMB: 80 } },
];

const folder = mkdtempSync(join(tmpdir(), 'troupe-bench-'));
const env = { ...process.env, TROUPE_HOME: join(folder, 'home') };
// Both cost a bare node more than everything that is measured here.
for (const name of ['NODE_OPTIONS', 'NODE_EXTRA_CA_CERTS', 'TROUPE_TEAM', 'TROUPE_MEMBER']) delete env[name];

try {
  makeTeam(env.TROUPE_HOME);
  const wants = (part) => only === undefined || only === part;
  const rows = wants('commands') ? await commandRows() : [];
  const searches = wants('searches') ? await searchRows(join(folder, 'searches'), SEARCH_PAIRS, env) : [];
  const teams = wants('teams') ? await teamRows(join(folder, 'teams'), env, quick) : [];
  const growth = wants('growth') ? await growthRows(join(folder, 'growth'), env, quick) : [];
  const results = {
    at: new Date().toISOString(),
    node: process.version,
    cpus: cpus().length,
    pairs: PAIRS,
    rows,
    searches,
    teams,
    growth,
  };
  if (rows.length > 0) console.log(`${tableOf(rows, 'node -e 0')}\n`);
  if (searches.length > 0) console.log(`${tableOf(searches, 'ripgrep')}\n`);
  if (teams.length > 0) console.log(`${teamTableOf(teams)}\n`);
  if (growth.length > 0) console.log(`${teamTableOf(growth)}\n`);
  if (quick || only !== undefined) console.log('A part of the measurements: nothing is written.');
  else {
    writeFileSync(here('results.json'), `${JSON.stringify(results, null, 2)}\n`);
    console.log('Written to test/bench/results.json');
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function commandRows() {
  const model = await startModelServer(PROGRAM, env);
  try {
    Object.assign(env, model.env);
    return ROWS.map(measured);
  } finally {
    model.stop();
  }
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
  return columns([['what', 'takes', against, 'ratio', 'goal', 'more memory', 'goal', ''], ...cells]);
}

function teamTableOf(rows) {
  const cells = rows.map(({ what, value, unit, goal, least, against = '', failed }) => {
    if (failed !== undefined) return [what, failed, '', '', 'FAILED'];
    const bound = least === undefined ? `≤ ${goal}` : `≥ ${least}`;
    const isReached = least === undefined ? value <= goal : value >= least;
    return [what, `${value} ${unit}`, bound, against, isReached ? 'reached' : 'MISSED'];
  });
  return columns([['what', 'is', 'goal', 'against', ''], ...cells]);
}

function columns(all) {
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
