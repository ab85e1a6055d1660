// Many processes send to one inbox through the shipped program; a quarter of them and the reader are killed.
// Every message whose id was acknowledged must arrive, and none may arrive twice.
//
//   node test/stress/inbox.mjs [processes=64] [sends=200] [program=bin/troupe.js]
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const [processes = 64, sends = 200] = process.argv.slice(2, 4).map(Number);
const program = process.argv[4] ?? fileURLToPath(new URL('../../bin/troupe.js', import.meta.url));
const LONGEST_MS = 5 * 60_000;

const home = mkdtempSync(join(tmpdir(), 'troupe-stress-'));
const received = join(home, 'received');
try {
  process.exitCode = (await stress()) ? 0 : 1;
} finally {
  rmSync(home, { recursive: true, force: true });
}

async function stress() {
  makeTeam();
  writeFileSync(received, '');
  const started = performance.now();
  let reader = read();
  const senders = Array.from({ length: processes }, send);
  const doomed = senders.toSorted(() => Math.random() - 0.5).slice(0, Math.floor(processes / 4));
  const killings = doomed.map(async (sender) => {
    const after = Math.floor(Math.random() * sends);
    while (sender.acknowledged().length < after && sender.child.exitCode === null) await delay(20);
    sender.child.kill('SIGKILL');
  });

  while (receivedIds().length < (processes * sends) / 4) await waited(started, reader);
  reader.child.kill('SIGKILL');
  await reader.end;
  reader = read();

  await Promise.all([...killings, ...senders.map(({ end }) => end)]);
  const sendMs = performance.now() - started;
  const acknowledged = senders.flatMap((sender) => sender.acknowledged());
  let missing = acknowledged;
  while (missing.length > 0) {
    const ids = new Set(receivedIds());
    missing = acknowledged.filter((id) => !ids.has(id));
    if (performance.now() - started > LONGEST_MS) break;
    await delay(100);
  }
  reader.child.kill('SIGTERM');
  await reader.end;

  const ids = receivedIds();
  const twice = ids.length - new Set(ids).size;
  const failed = senders.filter(
    ({ child }) => !doomed.some((each) => each.child === child) && child.exitCode !== 0,
  ).length;
  console.log(
    `${processes} processes × ${sends} sends, ${doomed.length} killed, reader killed once: ` +
      `${acknowledged.length} acknowledged in ${(sendMs / 1000).toFixed(1)} s, ${ids.length} received, ` +
      `${missing.length} lost, ${twice} twice, ${failed} senders failed`,
  );
  return missing.length === 0 && twice === 0 && failed === 0 && acknowledged.length > 0;
}

async function waited(started, reader) {
  if (reader.child.exitCode !== null) throw new Error(`The reader ended with ${reader.child.exitCode}`);
  if (performance.now() - started > LONGEST_MS) throw new Error('Nothing arrived in time');
  await delay(20);
}

function makeTeam() {
  const team = join(home, 'teams', 'red');
  for (const folder of ['inboxes', 'requests', 'plans', 'tasks', 'run', 'launch', 'files'])
    mkdirSync(join(team, folder), { recursive: true, mode: 0o700 });
  const alice = { agentId: 'alice@red', name: 'alice', joinedAt: 0, tmuxPaneId: '', cwd: home, subscriptions: [] };
  writeFileSync(
    join(team, 'config.json'),
    JSON.stringify({ name: 'red', createdAt: 0, leadAgentId: 'team-lead@red', members: [alice] }),
  );
}

function send() {
  return start(['send-many', 'alice', String(sends), '--team', 'red']);
}

function read() {
  return start(['read-inbox', 'alice', '--team', 'red', '--out', received]);
}

function start(args) {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, TROUPE_HOME: home },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  // `close`, not `exit`: what was acknowledged before the end may still be in the pipe.
  const end = new Promise((resolve) => child.once('close', resolve));
  return { child, end, acknowledged: () => text.split('\n').slice(0, -1) };
}

function receivedIds() {
  return readFileSync(received, 'utf8').split('\n').filter(Boolean);
}
