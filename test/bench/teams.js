// What teams cost while they run: until they are up, in memory and CPU, a message, a turn, calls to tmux. Each row is
// { what, value, unit, goal } with what it was measured against, where it is a ratio.
import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Anthropic from '@anthropic-ai/sdk';
import { cpuOf, median, memoryOf, openStage, PROGRAM, percentile, round, until } from './stage.js';

const STRESS = fileURLToPath(new URL('../stress/inbox.mjs', import.meta.url));
const DONE = "agents:\n  '*': [{ reply: Done with it. }]\n";
// The lead is busy all the time, so that the run does not end; the others have a turn each.
const BUSY_LEAD = `
agents:
  team-lead: [{ reply: [{ tool: Bash, input: { command: sleep 600 } }] }]
  '*': [{ reply: Done with it. }]
`;

/** @param folder an empty one; @param env of the programs that are measured; @param quick few and small */
export async function teamRows(folder, env, quick) {
  const rows = [];
  const measure = async (name, script, work) => {
    const stage = await openStage(join(folder, name), script, env);
    try {
      rows.push(...(await work(stage, quick)));
    } catch (error) {
      rows.push({ what: name, failed: error instanceof Error ? error.message.split('\n')[0] : String(error) });
    } finally {
      await stage.close().catch(() => {});
    }
  };
  await measure('up', DONE, untilUp);
  await measure('idle', DONE, idleTeammates);
  await measure('tmux', DONE, tmuxCalls);
  await measure('inside', BUSY_LEAD, manyInOneProcess);
  await measure('mail', DONE, sendUntilSeen);
  await measure('turns', turnsScript(quick ? 60 : 400), turns);
  await measure('forks', forksScript(quick ? 4 : 16), forks);
  await measure('stress', DONE, stress);
  return rows;
}

async function untilUp(stage, quick) {
  const rows = [];
  for (const count of quick ? [4] : [4, 8, 16]) {
    stage.template('crowd', [{ name: 'worker', count }]);
    const pairs = [];
    for (let pair = 0; pair < (quick ? 1 : 3); pair++) {
      const own = await timed(() =>
        stage.troupe('up', 'crowd', '--name', `crowd-${count}-${pair}`, '--detach', '--backend', 'tmux'),
      );
      await stage.troupe('down', `crowd-${count}-${pair}`, '--force');
      pairs.push([own, await timed(() => bareTmux(stage, count))]);
    }
    rows.push({
      what: `up with ${count} in tmux, until all are ready`,
      value: round(median(pairs.map(([own, bare]) => own / bare))),
      unit: '×',
      goal: 2.2,
      against: `${count} panes that run node (${Math.round(median(pairs.map(([, bare]) => bare)))} ms)`,
    });
  }
  return rows;
}

/** So many panes, each with a node that signals that it runs. */
async function bareTmux({ folder, env }, count) {
  const signals = join(folder, 'signals');
  rmSync(signals, { recursive: true, force: true });
  mkdirSync(signals);
  const tmux = (...args) => execFileSync('tmux', ['-L', 'bare', '-f', '/dev/null', ...args], { env, stdio: 'ignore' });
  const node = (index) => [
    process.execPath,
    '-e',
    `require('node:fs').writeFileSync(${JSON.stringify(join(signals, String(index)))}, ''); setInterval(() => {}, 1000)`,
  ];
  tmux('new-session', '-d', '-x', '200', '-y', '50', '-s', 'bare', ...node(0));
  for (let index = 1; index < count; index++) {
    tmux('split-window', '-d', '-t', 'bare', ...node(index));
    tmux('select-layout', '-t', 'bare', 'tiled');
  }
  await until(() => (readdirSync(signals).length === count ? true : undefined), 5);
  tmux('kill-server');
}

async function idleTeammates(stage, quick) {
  stage.template('two', [{ name: 'fresh' }, { name: 'worked', prompt: 'Do it.' }]);
  await stage.troupe('up', 'two', '--detach', '--backend', 'tmux');
  await until(async () => ((await stage.log()).length >= 2 ? true : undefined));
  const { members } = await idle(stage, 'two');
  const bare = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { env: stage.env, stdio: 'ignore' });
  await delay(quick ? 2000 : 6000);
  const bareMB = memoryOf(bare.pid);
  bare.kill();
  const row = (name, what, goal) => ({
    what: `memory of an idle teammate ${what}`,
    value: round(memoryOf(members.find((member) => member.name === name).pid) / bareMB),
    unit: '×',
    goal,
    against: `bare node (${Math.round(bareMB)} MB)`,
  });
  const [request] = (await stage.log()).filter(({ userId }) => userId.endsWith(':worked'));
  const { system, tools } = request.body;
  return [
    row('fresh', 'before its first request', 1.4),
    row('worked', 'after it', 2.2),
    {
      what: "a member's first request: tools and system prompt",
      value: round(Buffer.byteLength(JSON.stringify({ system, tools })) / 1024),
      unit: 'KB',
      goal: 30,
    },
  ];
}

async function tmuxCalls(stage, quick) {
  const count = quick ? 8 : 30;
  const calls = join(stage.folder, 'calls');
  const shims = join(stage.folder, 'shims');
  mkdirSync(shims);
  const real = execFileSync('sh', ['-c', 'command -v tmux'], { encoding: 'utf8' }).trim();
  const shim = `#!/bin/sh\ndate +%s%N >> '${calls}'\nexec '${real}' "$@"\n`;
  writeFileSync(join(shims, 'tmux'), shim);
  chmodSync(join(shims, 'tmux'), 0o755);
  stage.env.PATH = `${shims}:${stage.env.PATH}`;
  stage.template('crowd', [{ name: 'worker', count, prompt: 'Do it.' }]);
  await stage.troupe('up', 'crowd', '--detach', '--backend', 'tmux');
  await idle(stage, 'crowd');
  writeFileSync(calls, '');
  await delay((quick ? 6 : 20) * 1000);
  const times = readFileSync(calls, 'utf8')
    .trim()
    .split('\n')
    .map((time) => Number(time) / 1e9);
  return [
    {
      what: `calls to tmux with ${count} members`,
      value: round((times.length - 1) / (times.at(-1) - times[0])),
      unit: 'a second',
      goal: 1,
    },
  ];
}

async function manyInOneProcess(stage, quick) {
  const many = quick ? 30 : 100;
  const measured = async (count) => {
    stage.template('crowd', [{ name: 'worker', count, prompt: 'Do it.' }]);
    const team = `inside-${count}`;
    const words = ['run', 'crowd', '--name', team, '--permission-mode', 'bypassPermissions'];
    const child = stage.start(...words);
    const ended = new Promise((resolve) => child.once('close', resolve));
    await until(async () => {
      const { members } = await stage.status(team);
      const idle = members.filter(({ name, state }) => name !== 'team-lead' && state === 'idle');
      return idle.length === count && members.length === count + 1 ? true : undefined;
    }, 500);
    await delay(quick ? 3000 : 10_000);
    const facts = { memory: memoryOf(child.pid), cpu: await cpuOf(child.pid, quick ? 5 : 20) };
    child.kill('SIGTERM');
    await ended;
    return facts;
  };
  const [one, all] = [await measured(1), await measured(many)];
  return [
    {
      what: `${many} idle in-process teammates, more memory than one`,
      value: round(all.memory - one.memory),
      unit: 'MB',
      goal: 100,
    },
    { what: '… CPU', value: round(all.cpu), unit: '% of a core', goal: 2, against: `one: ${round(one.cpu)} %` },
  ];
}

async function sendUntilSeen(stage, quick) {
  const { home, seen, close } = readerOf(stage, 'reader');
  const waits = [];
  for (let sent = 0; sent < (quick ? 20 : 100); sent++) {
    const { msg_id } = JSON.parse(await stage.troupe('send', '-t', 'reader', 'alice', 'Seen?', '--json'));
    // A UUID of version 7 begins with the milliseconds of its making.
    const sentAt = Number.parseInt(msg_id.replaceAll('-', '').slice(0, 12), 16);
    await until(() => (readFileSync(seen, 'utf8').includes(msg_id) ? true : undefined), 1);
    waits.push(statSync(seen).mtimeMs - sentAt);
  }
  await close();
  rmSync(home, { recursive: true });
  return [
    { what: 'a message, from its send until it is seen: p50', value: round(median(waits)), unit: 'ms', goal: 50 },
    { what: '… p99', value: round(percentile(waits, 99)), unit: 'ms', goal: 250 },
  ];
}

/** A team of one, alice, whose inbox the shipped program reads into the file `seen`. */
function readerOf({ env }, team) {
  const home = join(env.TROUPE_HOME, 'teams', team);
  for (const folder of ['inboxes', 'requests', 'plans', 'tasks', 'run', 'launch', 'files'])
    mkdirSync(join(home, folder), { recursive: true, mode: 0o700 });
  const alice = { agentId: `alice@${team}`, name: 'alice', joinedAt: 0, tmuxPaneId: '', cwd: home, subscriptions: [] };
  const file = { name: team, createdAt: 0, leadAgentId: `team-lead@${team}`, members: [alice] };
  writeFileSync(join(home, 'config.json'), JSON.stringify(file));
  const seen = join(home, 'seen');
  appendFileSync(seen, '');
  const child = spawn(process.execPath, [PROGRAM, 'read-inbox', 'alice', '--team', team, '--out', seen], { env });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const close = () => {
    child.kill('SIGTERM');
    return ended;
  };
  return { home, seen, close };
}

function turnsScript(count) {
  const rules = Array.from(
    { length: count },
    (_, index) =>
      `    - { when: { turn: ${index + 1} }, reply: [{ tool: Read, input: { file_path: lines.txt, offset: ${index + 1}, limit: 1 } }] }`,
  );
  return `agents:\n  team-lead:\n${rules.join('\n')}\n    - { reply: Done. }\n`;
}

/** Turns of the engine, each with a call of Read, against the same requests through the SDK alone. */
async function turns(stage) {
  const path = join(stage.folder, 'work', 'lines.txt');
  writeFileSync(path, Array.from({ length: 1000 }, (_, index) => `line ${index}`).join('\n'));
  await stage.troupe('run', 'Read it line by line.', '--output-format', 'json');
  const own = await stage.log();
  const client = new Anthropic({ baseURL: stage.url, apiKey: 'none' });
  for (const { body } of own) await client.messages.stream({ ...body, stream: undefined }).finalMessage();
  // The server keeps so much and no more: the newest are these.
  const raw = (await stage.log()).slice(-own.length);
  const gaps = (log) => log.slice(1).map(({ at }, index) => Date.parse(at) - Date.parse(log[index].at));
  const rawGaps = gaps(raw);
  const more = gaps(own).map((gap, index) => gap - rawGaps[index]);
  const tenth = Math.ceil(more.length / 10);
  return [
    {
      what: `the engine's own part of a turn, over ${own.length} turns`,
      value: round(median(more)),
      unit: 'ms',
      goal: 5,
      against: `the SDK alone, ${median(rawGaps)} ms`,
    },
    {
      what: '… what the last tenth of them takes more than the first',
      value: round(median(more.slice(-tenth)) - median(more.slice(0, tenth))),
      unit: 'ms',
      goal: 2,
    },
  ];
}

function forksScript(count) {
  const calls = Array.from(
    { length: count },
    (_, index) =>
      `        - { tool: Agent, input: { description: part ${index}, prompt: Do part ${index}., subagent_type: fork, run_in_background: false } }`,
  );
  return `agents:\n  team-lead:\n    - when: { turn: 1 }\n      reply:\n${calls.join('\n')}\n    - { reply: Done. }\n  '*': [{ reply: Done with it. }]\n`;
}

/** Forks that begin in one turn, on what has been said before: what of it the service has already. */
async function forks(stage) {
  const said = `${'What there is to know before the parts are done. '.repeat(2000)}Do it in parts.`;
  await stage.troupe('run', said, '--output-format', 'json');
  const usages = (await stage.log())
    .filter(({ userId }) => userId.includes('team-lead/'))
    .map(({ reply }) => reply.usage)
    .slice(1);
  const sum = (count) => usages.reduce((total, usage) => total + count(usage), 0);
  const cached = sum(({ cache_read_input_tokens }) => cache_read_input_tokens ?? 0);
  const all = sum(
    ({ input_tokens, cache_creation_input_tokens, cache_read_input_tokens }) =>
      input_tokens + (cache_creation_input_tokens ?? 0) + (cache_read_input_tokens ?? 0),
  );
  return [
    {
      what: `${usages.length + 1} forks of one turn: input that is in the cache, after the first`,
      value: round((100 * cached) / all),
      unit: '%',
      least: 95,
    },
  ];
}

async function stress(stage, quick) {
  const [processes, sends] = quick ? [8, 50] : [64, 200];
  const output = execFileSync(process.execPath, [STRESS, String(processes), String(sends)], {
    env: stage.env,
    encoding: 'utf8',
  });
  const [, acknowledged, seconds, lost, twice] =
    /(\d+) acknowledged in ([\d.]+) s, \d+ received, (\d+) lost, (\d+) twice/.exec(output).map(Number);
  const [locked, lockedSeconds] = await lockedSends(stage, processes, quick ? 5 : 10);
  return [
    {
      what: `${processes} processes × ${sends} sends to one inbox: lost or twice`,
      value: lost + twice,
      unit: '',
      goal: 0,
    },
    {
      what: '… as many a second as a lock for each send lets through',
      value: round(acknowledged / seconds / (locked / lockedSeconds)),
      unit: '×',
      least: 5,
    },
  ];
}

/** The same with a lock around each read and write of the whole inbox. */
async function lockedSends({ folder, env }, processes, sends) {
  const file = join(folder, 'locked.json');
  writeFileSync(file, '[]');
  const loop = `
    import { readFileSync, writeFileSync } from 'node:fs';
    import lockfile from ${JSON.stringify(import.meta.resolve('proper-lockfile'))};
    for (let sent = 0; sent < ${sends}; sent++) {
      const retries = { retries: 10_000, minTimeout: 5, maxTimeout: 100, factor: 1.5, randomize: true };
      const release = await lockfile.lock(${JSON.stringify(file)}, { retries });
      const messages = JSON.parse(readFileSync(${JSON.stringify(file)}, 'utf8'));
      writeFileSync(${JSON.stringify(file)}, JSON.stringify([...messages, { from: 'user', text: 'Message ' + sent }]));
      await release();
    }`;
  const begin = performance.now();
  const ends = Array.from({ length: processes }, () => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', loop], { env, stdio: 'ignore' });
    return new Promise((resolve) => child.once('close', resolve));
  });
  await Promise.all(ends);
  return [JSON.parse(readFileSync(file, 'utf8')).length, (performance.now() - begin) / 1000];
}

async function idle(stage, team) {
  return until(async () => {
    const status = await stage.status(team);
    return status.members.every(({ state }) => state === 'idle') ? status : undefined;
  }, 250);
}

async function timed(work) {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}
