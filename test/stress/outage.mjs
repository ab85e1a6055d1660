// Five teammates against ten seconds of 529: do all come through, and with how many requests? The same with five
// programs that share nothing, each in a home of its own. `node build.js && node test/stress/outage.mjs [seconds]`
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const BIN = fileURLToPath(new URL('../../bin/troupe.js', import.meta.url));
const seconds = Number(process.argv[2] ?? 10);
const NAMES = ['ada', 'bea', 'cem', 'dov', 'eva'];
const folder = mkdtempSync(join(tmpdir(), 'troupe-outage-'));
const scriptFile = join(folder, 'script.yaml');
writeFileSync(scriptFile, "agents: { team-lead: [{ reply: 'I wait.' }], '*': [{ reply: 'My report.' }] }");

function environment(home, url) {
  for (const path of [home, join(home, 'user'), join(home, 'tmux'), join(home, 'templates')])
    mkdirSync(path, { recursive: true, mode: 0o700 });
  return {
    PATH: process.env.PATH,
    LANG: 'C.UTF-8',
    SHELL: '/bin/sh',
    HOME: join(home, 'user'),
    TMUX_TMPDIR: join(home, 'tmux'),
    TROUPE_HOME: home,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'any',
  };
}

const started = new Set();
function start(args, env) {
  const child = spawn(process.execPath, [BIN, ...args], { env, cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  started.add(child);
  let stdout = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  const ended = new Promise((resolve) => child.on('exit', (code) => resolve({ code, stdout })));
  ended.then(() => started.delete(child));
  const firstLine = new Promise((resolve) => child.stdout.once('data', (chunk) => resolve(String(chunk))));
  return { child, ended, firstLine };
}

async function measure(name, play) {
  const home = join(folder, name);
  const fault = ['--fault', `529,for=${seconds}s`];
  const server = start(['model-server', '--json', '--script', scriptFile, ...fault], environment(home, ''));
  const { url } = JSON.parse(await server.firstLine);
  const finished = await play(home, url);
  const log = await (await fetch(`${url}/__log`)).json();
  server.child.kill('SIGTERM');
  await server.ended;
  const refused = log.filter(({ status }) => status === 529).length;
  console.log(
    `${name.padEnd(10)} ${finished} of ${NAMES.length} finished; ${refused} requests refused, ${(refused / seconds).toFixed(1)} a second`,
  );
  return { finished, refused };
}

async function asTeam(home, url) {
  const env = environment(home, url);
  const members = NAMES.map((name) => `{ name: ${name}, prompt: Look. }`).join(', ');
  writeFileSync(
    join(home, 'templates', 'five.md'),
    `---\nname: five\ndescription: x\nmembers: [${members}]\n---\nGo.\n`,
  );
  const run = start(['run', 'five', '--backend', 'tmux', '--output-format', 'json'], env);
  const { stdout } = await run.ended;
  return JSON.parse(stdout).members.filter(({ lastReport }) => lastReport === 'My report.').length;
}

async function alone(home, url) {
  const runs = NAMES.map((name) => {
    const env = environment(join(home, name), url);
    return start(['run', 'Go.', '--output-format', 'json'], env).ended;
  });
  return (await Promise.all(runs)).filter(({ code }) => code === 0).length;
}

try {
  const team = await measure('together', asTeam);
  const apart = await measure('apart', alone);
  const isBetter = team.finished === NAMES.length && team.refused < apart.refused;
  console.log(isBetter ? 'ok' : 'NOT as it should be');
  process.exitCode = isBetter ? 0 : 1;
} finally {
  for (const child of started) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
