import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { run } from '../../src/host/run.js';
import { withNamedIds } from '../../src/modelServer/recording/sameIds.js';
import { eventually } from '../helpers/eventually.js';
import { addTemplate, type Live, live, resultOf } from '../helpers/headless.js';
import { goWhen, type Standing, UNTIL_GO } from '../helpers/ordered.js';
import { BIN, type Stage, stage } from '../helpers/program.js';

const EXAMPLES = fileURLToPath(new URL('../../templates/scripts/', import.meta.url));
const Listening = z.object({ url: z.string(), pid: z.number() });
const Log = z.array(z.object({ userId: z.string(), status: z.number(), reply: z.optional(z.unknown()) }));

/** A model server of the program's own, and where it listens. */
async function serving(team: Stage, ...args: string[]): Promise<Live & z.infer<typeof Listening>> {
  const server = await live(team, ['model-server', '--json', ...args]);
  const facts = await eventually(() => Listening.parse(JSON.parse(server.stdout())));
  return { ...server, ...facts };
}

const runOn = (team: Stage, url: string, ...args: string[]) =>
  run(process.execPath, [BIN, 'run', '--output-format', 'json', ...args], {
    env: { ...team.env, ANTHROPIC_BASE_URL: url },
    cwd: team.folder,
    timeout: 100_000,
  });

const logOf = async (url: string) => Log.parse(await (await fetch(`${url}/__log`)).json());

test('a script in TypeScript runs a team, faults and all', async () => {
  await using team = await stage();
  await copyFile(join(EXAMPLES, 'hello.ts'), join(team.folder, 'hello.ts'));
  await using server = await serving(team, '--script', 'hello.ts');
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  const prompt = 'Say hello to Ada and Grace.';
  const ended = await runOn(team, server.url, prompt, '--permission-mode', 'bypassPermissions');
  expect(resultOf(ended)).toMatchObject({ subtype: 'success', result: 'Hello, Ada!\nHello, Grace!' });
  expect((await logOf(server.url)).map(({ status }) => status)).toEqual([529, 200, 200]);
});

test('a script that is wrong is refused before anything listens, by file and line', async () => {
  await using team = await stage();
  const cases: [string, string, string][] = [
    ['a.yaml', 'agents:\n  x:\n    - rpely: y', 'a.yaml:3: x, rule 1, rpely: there is no such field'],
    [
      'b.ts',
      "export const agents = {\n  x: [{ name: 'y', rpely: 1 }],\n};",
      'b.ts:2: x, rule 1 (y), rpely: there is no such field',
    ],
    ['c.ts', '\n\nexport const agents: = 3;', 'c.ts:3: '],
    ['d.ts', "\nthrow new Error('no');", 'd.ts:2: no'],
  ];
  for (const [name, text, words] of cases) {
    await writeFile(join(team.folder, name), text);
    const { exitCode, stdout, stderr } = await team.troupe(['model-server', '--script', name]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(words);
  }
});

test('faults come from the command line, and who asks for what no rule answers is named on stderr', async () => {
  await using team = await stage();
  await writeFile(join(team.folder, 's.yaml'), 'agents: { bob: [{ reply: x }] }');
  await using server = await serving(team, '--script', 's.yaml', '--fault', '429,retry-after=0', '--fault', '500');
  const ended = await runOn(team, server.url, 'Go.');
  const problem = 'no rule of the script matches turn 1 of team-lead (s.yaml)';
  expect(resultOf(ended).result).toBe(`[model server] ${problem}`);
  expect((await logOf(server.url)).map(({ status }) => status)).toEqual([429, 500, 200]);
  expect(server.stderr()).toContain(problem);
});

test.each([
  [['--fault', 'cat'], '--fault cat: there is no fault "cat". Did you mean "cut"?'],
  [['--record', 'x'], '--record FILE and --upstream URL go together'],
  [['--record', 'x', '--upstream', 'home'], '--upstream home: this is no address like https://api.anthropic.com'],
  [['--replay', 'x', '--script', 'y'], '--replay and --script do not go together.'],
  [['--replay', 'x', '--fault', 'cut'], '--replay and --fault do not go together.'],
  [['--replay', 'x'], 'Cannot read the recording x: ENOENT'],
])('model-server %j is refused', async (args, words) => {
  await using team = await stage();
  const { exitCode, stderr } = await team.troupe(['model-server', ...args], { timeout: 100_000 });
  expect({ exitCode, says: stderr.includes(words) ? words : stderr }).toEqual({ exitCode: 2, says: words });
});

const WORK = `
agents:
  team-lead:
    - when: { user: 'My report' }
      once: true
      reply: 'She says: {{user}}'
    - when: { turn: 1 }
      fault: { status: 529, retryAfter: 0 }
      reply: [{ tool: Bash, input: { command: 'true' } }]
    - reply: I wait.
  ada:
    - when: { turn: 1 }
      reply: [{ thinking: Hm. }, { text: I look. }, { tool: Bash, input: { command: '${UNTIL_GO}; echo found it' } }]
    - reply: 'My report: {{result}}'
`;
/** The report comes when the lead's first turn is over, in every run. */
const REPORT_LAST: readonly Standing[] = [{ name: 'team-lead', state: 'idle', turns: 2 }];

const PAIR = `---
name: pair
description: A lead and one more.
members: [{ name: ada, permissionMode: bypassPermissions, prompt: Look. }]
lead: { permissionMode: bypassPermissions }
---
{{prompt}}
`;

test('a team’s recorded run replays byte for byte, without the service and without its key', async () => {
  await using team = await stage(WORK);
  await addTemplate(team, 'pair', PAIR);
  const key = 'sk-ant-api03-only_for_this_test';
  const env = { ...team.env, ANTHROPIC_API_KEY: key };
  const args = ['pair', 'Go.', '--name', 'same'];
  const file = join(team.folder, 'run.jsonl');
  let live: string;
  {
    await using server = await serving(team, '--record', file, '--upstream', team.server.url);
    live = await wholeRun({ ...team, env }, server.url, args, REPORT_LAST);
  }
  const recorded = await readFile(file, 'utf8');
  expect(recorded).not.toContain(key);
  expect(recorded.trim().split('\n')).toHaveLength(team.server.log().length);

  await team.server.close();
  await using server = await serving(team, '--replay', file);
  expect(await wholeRun(team, server.url, args, REPORT_LAST)).toBe(live);
  expect(server.stderr()).toBe('');
});

// The lead repeats the plan's id, which is always new.
const PLANS = `
agents:
  team-lead:
    - when: { user: 'My report' }
      reply: 'She has done it.'
    - when: { user: 'request_id: [0-9a-f-]+' }
      once: true
      capture: { id: { from: user, match: 'request_id: ([0-9a-f-]+)' } }
      reply:
        - { tool: SendMessage, input: { to: ada, summary: approved, message: { type: plan_approval_response, request_id: '{{id}}', approve: true } } }
    - when: { turn: 1 }
      reply:
        - { tool: SendMessage, input: { to: ada, summary: plan it, message: Plan it. } }
        - { tool: Bash, input: { command: '${UNTIL_GO}; sleep 1' } }
    - reply: I wait.
  ada:
    - when: { turn: 1 }
      reply: [{ tool: ExitPlanMode, input: { plan: 'I do it.' } }]
    - when: { user: 'Your plan was approved' }
      reply: [{ tool: Bash, input: { command: '${UNTIL_GO}' } }]
    - when: { tool: Bash }
      reply: 'My report: done'
    - reply: Well.
`;
/** The plan comes while the lead's command runs, and the report when the lead rests, in every run. */
const PLAN_FIRST: readonly Standing[] = [
  { name: 'ada', waitingFor: 'plan' },
  { name: 'team-lead', state: 'idle', turns: 3 },
];

test('a recorded run in which the lead approves a plan can be replayed, though the plan has another id', async () => {
  await using team = await stage(PLANS);
  await addTemplate(team, 'pair', PAIR.replace('prompt: Look.', 'plan: true'));
  const file = join(team.folder, 'run.jsonl');
  let live: string;
  {
    await using server = await serving(team, '--record', file, '--upstream', team.server.url);
    live = await wholeRun(team, server.url, ['pair', 'Go.', '--name', 'same'], PLAN_FIRST);
  }
  expect(live).toContain('She has done it.');
  await using server = await serving(team, '--replay', file);
  expect(await wholeRun(team, server.url, ['pair', 'Go.', '--name', 'same'], PLAN_FIRST)).toBe(live);
});

/** What a run's members heard from their model, in one text. What waits in it goes on at each of `steps`. */
async function wholeRun(
  team: Stage,
  url: string,
  args: readonly string[],
  steps: readonly Standing[],
): Promise<string> {
  const going = async () => {
    for (const standing of steps) await goWhen(team, standing);
  };
  const [ended] = await Promise.all([runOn(team, url, ...args), going()]);
  const { subtype, result, members, total_cost_usd } = resultOf(ended);
  expect({ subtype, stderr: subtype === 'success' ? '' : ended.stdout }).toEqual({ subtype: 'success', stderr: '' });
  const spent = members.map(({ name, turns, usage, lastReport }) => ({ name, turns, usage, lastReport }));
  // What a model repeats of a message has that message's id, which is new in every run.
  return withNamedIds(JSON.stringify({ result, total_cost_usd, spent }));
}

test('a run that asks for something else than the recorded one fails, and is shown the difference', async () => {
  await using team = await stage("agents: { team-lead: [{ reply: 'Yes.' }] }");
  const file = join(team.folder, 'run.jsonl');
  {
    await using server = await serving(team, '--record', file, '--upstream', team.server.url);
    expect((await runOn(team, server.url, 'The old question?')).exitCode).toBe(0);
  }
  await using server = await serving(team, '--replay', file);
  const ended = await runOn(team, server.url, 'A new question?');
  expect(ended.exitCode).toBe(1);
  const difference = ['-        text: The old question?', '+        text: A new question?'];
  for (const line of difference) {
    expect(resultOf(ended).errors?.join('\n')).toContain(line.slice(1).trim());
    expect(server.stderr()).toContain(line.slice(1).trim());
  }
});

test('with --exit-with-parent it ends when the program that started it has ended', async () => {
  await using team = await stage();
  const script = `
    const { spawn } = require('node:child_process');
    const child = spawn(process.execPath, [${JSON.stringify(BIN)}, 'model-server', '--json', '--exit-with-parent'], { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
    child.stdout.once('data', (line) => { process.stdout.write(line); process.exit(); });
  `;
  const { stdout } = await run(process.execPath, ['--eval', script], { env: team.env, cwd: team.folder });
  const { pid } = Listening.parse(JSON.parse(stdout));
  await eventually(() => expect(isRunning(pid)).toBe(false));
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test('--port is the port', async () => {
  await using team = await stage();
  const port = String(await freePort());
  await using server = await serving(team, '--port', port);
  expect(server.url).toBe(`http://127.0.0.1:${port}`);
  const taken = await team.troupe(['model-server', '--port', port]);
  expect(taken).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(`127.0.0.1:${port}`) });
});

/** Not one of those that the system gives to whoever asks for any: nobody takes it before it is used. */
async function freePort(): Promise<number> {
  for (let port = 20_000 + (process.pid % 10_000); ; port++) {
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
}
