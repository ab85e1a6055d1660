import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RunResult } from '../../src/headless/result.js';
import { run } from '../../src/host/run.js';
import { ENDINGS, type Ending } from '../helpers/endings.js';
import { eventually } from '../helpers/eventually.js';
import { addTemplate, type Ended, linesOf, live, resultOf } from '../helpers/headless.js';
import { BIN, type Stage, stage } from '../helpers/program.js';
import { checkerOf } from '../helpers/schemas.js';

const checkResult = await checkerOf('result');
const checkLine = await checkerOf('stream');

const TEAM = `---
name: pair
description: A lead and one more.
lead: { permissionMode: bypassPermissions }
members: [{ name: bob }]
---
{{prompt}}
`;

const HANGING =
  'agents: { team-lead: [{ fault: { stream: hang, times: 9 }, reply: never }], "*": [{ reply: Noted. }] }';

async function pair(lead: string): Promise<Stage> {
  const stageOf = await stage(`agents:\n  team-lead: [${lead}]\n  "*": [{ reply: Noted. }]\n`);
  await addTemplate(stageOf, 'pair', TEAM);
  return stageOf;
}

function expectResult(
  result: object,
  ended: Ended,
  { exitCode, subtype, text, errors }: Omit<Ending, 'lead' | 'args' | 'what'>,
): void {
  expect(ended.exitCode, ended.stderr).toBe(exitCode);
  expect(result).toMatchObject({ type: 'result', subtype, is_error: exitCode !== 0, result: text });
  checkResult(result);
  if (errors) expect(result).toMatchObject({ errors: expect.arrayContaining([expect.stringMatching(errors)]) });
  else expect(result).not.toHaveProperty('errors');
  expect(ended.stderr).not.toMatch(/^\s+at /m);
}

/** A good end and a bad one, which show that each format and each backend says the same. */
const EVERYWHERE: readonly string[] = ['success', '--max-turns'];

describe.each(['in-process', 'tmux'])('with --backend %s', (backend) => {
  const everywhere = ({ what }: Ending) => EVERYWHERE.includes(what);

  test.concurrent.each(backend === 'tmux' ? ENDINGS.filter(everywhere) : ENDINGS)(
    'stdout is one object, lines with the result last, or the answer: $what',
    async (ending) => {
      await using team = await pair(ending.lead);
      const ended = async (format: string) =>
        team.troupe(['run', 'pair', 'What is it?', '--backend', backend, '--output-format', format, ...ending.args], {
          timeout: 100_000,
        });

      const stream = await ended('stream-json');
      const lines = linesOf(stream);
      for (const line of lines) checkLine(line);
      expect(lines[0]).toMatchObject({
        type: 'system',
        subtype: 'init',
        members: ['bob'],
        cwd: team.folder,
        permissionMode: 'bypassPermissions',
        tools: expect.arrayContaining(['Bash', 'SendMessage']),
        agents: expect.arrayContaining(['general-purpose']),
        mcp_servers: [],
      });
      expect(lines.filter(({ subtype }) => subtype === 'init')).toHaveLength(1);
      expect(lines.filter(({ type }) => type === 'result')).toEqual([lines.at(-1)]);
      expectResult(lines.at(-1) ?? {}, stream, ending);
      const last = RunResult.parse(lines.at(-1));
      expect(last.session_id).toMatch(/^[0-9a-f-]{36}$/);
      expect(last.team).toMatch(/^run-[0-9a-f]{8}$/);
      expect(last.members.map(({ name }) => name).sort()).toEqual(['bob', 'team-lead']);

      if (backend === 'tmux' || !everywhere(ending)) return;
      const json = await ended('json');
      expectResult(resultOf(json), json, ending);
      const text = await ended('text');
      expect({ exitCode: text.exitCode, stdout: text.stdout }).toEqual({
        exitCode: ending.exitCode,
        stdout: ending.text,
      });
    },
  );
});

test.concurrent.each([
  { signal: 'SIGINT', exitCode: 130, backend: 'in-process', formats: ['json', 'stream-json'] },
  { signal: 'SIGTERM', exitCode: 143, backend: 'in-process', formats: ['stream-json'] },
  { signal: 'SIGTERM', exitCode: 143, backend: 'tmux', formats: ['stream-json'] },
] as const)(
  '$signal ends a run with its result and exit code $exitCode ($backend)',
  async ({ signal, exitCode, backend, formats }) => {
    await using team = await stage(HANGING);
    await addTemplate(team, 'pair', TEAM);
    for (const format of formats) {
      const before = team.server.log().length;
      await using running = await live(team, ['run', 'pair', 'x', '--backend', backend, '--output-format', format]);
      await eventually(() => expect(team.server.log().length).toBeGreaterThan(before));
      process.kill(running.pid, signal);
      const ended = await running.ended();
      for (const line of linesOf(ended)) checkLine(line);
      expectResult(linesOf(ended).at(-1) ?? {}, ended, {
        exitCode,
        subtype: 'interrupted',
        text: '',
        errors: new RegExp(signal),
      });
      if (format === 'json') resultOf(ended);
    }
  },
);

test.concurrent.each([
  { what: 'an unknown flag', args: ['--bogus'], error: /Unknown option '--bogus'/, formats: ['json'] },
  { what: 'an unknown template', args: ['--template', 'featur'], error: /Did you mean "feature"\?/, formats: ['json'] },
  { what: 'a flag with a wrong value', args: ['--timeout', 'soon'], error: /30m/, formats: ['stream-json'] },
  { what: 'nothing to do', args: [], error: /nothing to do/, formats: ['json', 'stream-json', 'text'] },
])('a run that cannot begin has its result all the same: $what', async ({ args, error, formats }) => {
  await using empty = await stage();
  for (const format of formats) {
    const ended = await empty.troupe(['run', '--output-format', format, ...args]);
    expect(ended.exitCode).toBe(2);
    if (format === 'text') expect(ended.stdout).toBe('');
    else {
      expect(resultOf(ended)).toMatchObject({ is_error: true, errors: [expect.stringMatching(error)] });
      checkResult(resultOf(ended));
    }
  }
});

const FAULTS = [
  { what: 'an error that nobody catches', code: `throw new Error('a fault inside')`, formats: ['text', 'json'] },
  {
    what: 'a rejection that nobody catches',
    code: `Promise.reject(new Error('a fault inside'))`,
    formats: ['stream-json'],
  },
];

test.concurrent.each(FAULTS)(
  '$what ends a run with 1, its team ended, its result last and its stack on stderr',
  async ({ code, formats }) => {
    await using team = await stage(HANGING);
    await addTemplate(team, 'pair', TEAM);
    const preload = join(team.folder, 'preload.mjs');
    await writeFile(preload, `process.on('SIGUSR2', () => { ${code}; });\n`);
    const env = { ...team.env, NODE_OPTIONS: `--import=${preload}` };
    for (const format of formats) {
      const before = team.server.log().length;
      await using running = await live({ ...team, env }, ['run', 'pair', 'x', '--output-format', format]);
      await eventually(() => expect(team.server.log().length).toBeGreaterThan(before));
      process.kill(running.pid, 'SIGUSR2');
      const ended = await running.ended();
      expect(ended.exitCode, ended.stderr).toBe(1);
      expect(ended.stderr).toMatch(/a fault inside\n\s+at /);
      if (format === 'text') expect(ended.stdout).toBe('');
      else {
        const result = linesOf(ended).at(-1);
        checkResult(result);
        expect(result).toMatchObject({
          subtype: 'error_during_execution',
          is_error: true,
          errors: ['That is a fault of troupe itself: a fault inside'],
          members: [{ name: 'bob' }, { name: 'team-lead' }],
        });
      }
    }
    expect((await team.troupe(['ls', '--json'])).stdout).toBe('[]');
  },
);

const TELLS_ALL = `
agents:
  team-lead:
    - when: { turn: 1 }
      fault: { status: 529, retryAfter: 0.02, times: 1 }
      reply: [{ tool: Agent, input: { description: Look, prompt: Look., subagent_type: general-purpose } }]
    - reply: All is told.
  'team-lead/*':
    - when: { turn: 1 }
      reply: [{ text: I look. }, { tool: Bash, input: { command: 'echo seen' } }]
    - reply: I saw it.
  bob: [{ reply: The report of bob. }]
`;

test.concurrent('stream-json tells of retries, tasks, teammates, and of sub-agents by the call that started them', async () => {
  await using team = await stage(TELLS_ALL);
  await addTemplate(team, 'pair', TEAM.replace('name: bob', 'name: bob, prompt: Look.'));
  const ended = await team.troupe(['run', 'pair', 'x', '--output-format', 'stream-json'], { timeout: 100_000 });
  expect(ended.exitCode, ended.stderr).toBe(0);
  const lines = linesOf(ended);
  for (const line of lines) checkLine(line);
  const kinds = new Set(lines.map(({ type, subtype }) => (subtype === undefined ? type : `${type}/${subtype}`)));
  for (const kind of ['api_retry', 'task_started', 'task_notification', 'teammate_spawned', 'teammate_idle'])
    expect(kinds).toContain(`system/${kind}`);
  const call = lines.find(({ subtype }) => subtype === 'task_started')?.['tool_use_id'];
  const ofAgent = lines.filter(({ parent_tool_use_id }) => parent_tool_use_id === call);
  expect(ofAgent.map(({ type }) => type)).toEqual(['user', 'assistant', 'user', 'assistant']);
  expect(JSON.stringify(ofAgent[2])).toContain('seen');
  expect(lines.at(-1)).toMatchObject({ type: 'result', result: 'All is told.' });
});

test.concurrent('a run that fails while it starts says why in its result, ends, and leaves nothing', async () => {
  await using broken = await stage();
  await addTemplate(
    broken,
    'lost',
    '---\nname: lost\ndescription: x\nmembers: [{ name: bob, cwd: ./nowhere }]\n---\nGo.\n',
  );
  const ended = await broken.troupe(['run', 'lost', '--output-format', 'json'], { timeout: 100_000 });
  expect(ended.exitCode).toBe(2);
  expect(resultOf(ended)).toMatchObject({
    is_error: true,
    errors: [expect.stringContaining('nowhere is not a directory')],
  });
  expect((await broken.troupe(['ls', '--json'])).stdout).toBe('[]');
});

test.concurrent('a signal while a prompt is awaited on stdin ends a run with its result', async () => {
  await using waiting = await stage();
  // The fifo is open for writing too, so that its end never comes; it holds less than what is written, so that this
  // is done only when the program reads.
  const script = 'mkfifo in; exec 3<>in; "$@" <in & head -c 300000 /dev/zero | tr "\\0" " " >in; kill -INT $!; wait $!';
  const words = [process.execPath, BIN, 'run', '--output-format', 'json'];
  const ended = await run('sh', ['-c', script, 'sh', ...words], { env: waiting.env, cwd: waiting.folder });
  expect(ended.exitCode, ended.stderr).toBe(130);
  expect(resultOf(ended)).toMatchObject({ subtype: 'interrupted', is_error: true });
});

test.concurrent.each(['text', 'json', 'stream-json'])(
  'a closed stdout ends a run with 141 and without a stack (%s)',
  async (format) => {
    await using team = await stage('agents: { team-lead: [{ reply: "It is 42." }] }');
    await using running = await live(team, ['run', 'What is it?', '--output-format', format]);
    running.closeStdout();
    const { exitCode, stderr } = await running.ended();
    expect(exitCode, stderr).toBe(141);
    expect(stderr).not.toMatch(/EPIPE|^\s+at /m);
  },
);
