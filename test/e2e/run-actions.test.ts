import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../src/host/run.js';
import { obeyedIn } from '../helpers/actionsRunner.js';
import { addTemplate, resultOf } from '../helpers/headless.js';
import { BIN, stage } from '../helpers/program.js';

const EVIL = 'Look:\n::error title=x::boom\n  ::add-mask::e\nand ##[error]boom';
const SAYS = `agents: { team-lead: [{ reply: ${JSON.stringify(EVIL)} }] }`;
const ACTIONS = { GITHUB_ACTIONS: 'true' };

test('what a lead answers is no command to GitHub’s runner, and whole all the same', async () => {
  await using alone = await stage(SAYS);
  const env = { ...alone.env, ...ACTIONS };
  const text = await alone.troupe(['run', 'Look.'], { env });
  expect(text.exitCode, text.stderr).toBe(0);
  expect(obeyedIn(text.stdout)).toEqual([]);
  expect(obeyedIn(text.stderr)).toEqual(['notice']);
  const [first = '', ...rest] = text.stdout.split('\n');
  expect(first).toMatch(/^::stop-commands::[0-9a-f-]{36}$/);
  expect(rest.slice(0, -1).join('\n')).toBe(EVIL);
  // Nothing behind it is held back.
  expect(obeyedIn(`${text.stdout}\n::warning::later`)).toEqual(['warning']);

  for (const format of ['json', 'stream-json']) {
    const { stdout } = await alone.troupe(['run', 'Look.', '--output-format', format], { env });
    expect(obeyedIn(stdout)).toEqual([]);
    expect(stdout).toContain(JSON.stringify(EVIL).slice(1, 30));
    if (format === 'json') expect(resultOf({ exitCode: 0, stdout, stderr: '' }).result).toBe(EVIL);
  }
});

test('an answer without a command in it, one that goes into a file, and one elsewhere are just the answer', async () => {
  await using plain = await stage('agents: { team-lead: [{ reply: "std::vector, it is." }] }');
  const { stdout } = await plain.troupe(['run', 'Look.'], { env: { ...plain.env, ...ACTIONS } });
  expect(stdout).toBe('std::vector, it is.');

  await using alone = await stage(SAYS);
  expect((await alone.troupe(['run', 'Look.'])).stdout).toBe(EVIL);
  const env = { ...alone.env, ...ACTIONS };
  const words = ['sh', process.execPath, BIN, 'run', 'Look.'];
  const into = await run('sh', ['-c', '"$@" > answer.md', ...words], { env, cwd: alone.folder });
  expect(into.exitCode, into.stderr).toBe(0);
  expect(await readFile(join(alone.folder, 'answer.md'), 'utf8')).toBe(`${EVIL}\n`);
});

test('neither an error nor what a member asks for nor what commands show of its words is a command to GitHub’s runner, but for our own annotation', async () => {
  await using team = await stage(`
agents:
  team-lead: [{ when: { user: 'I may not' }, fault: { status: 400, message: "no\\n::set-output name=a::b", times: 9 }, reply: x }, { reply: I wait. }]
  bob:
    - { when: { turn: 1 }, reply: [{ tool: Bash, input: { command: "touch x", description: "x\\n::group::y" } }] }
    - { reply: ${JSON.stringify(`I may not.\n${EVIL}`)} }
`);
  await addTemplate(team, 'pair', '---\nname: pair\ndescription: x\nmembers: [{ name: bob, prompt: Go. }]\n---\nGo.\n');
  const env = { ...team.env, ...ACTIONS };
  const ended = await team.troupe(['run', 'pair', '--name', 'pair', '--keep'], { env, timeout: 100_000 });
  expect(ended.exitCode, ended.stderr).toBe(1);
  expect(ended.stderr).toContain('set-output');
  expect(obeyedIn(ended.stdout + ended.stderr)).toEqual(['error']);

  expect((await team.troupe(['send', 'bob', EVIL], { env })).exitCode).toBe(0);
  expect((await team.troupe(['tasks', 'add', 'Look', '--description', EVIL], { env })).stdout).toBe('1');
  const shows = [['inbox', 'bob'], ['inbox'], ['peek', 'bob'], ['tasks', 'show', '1'], ['logs'], ['status']];
  for (const args of [...shows, ...shows.map((words) => [...words, '--json'])]) {
    const { exitCode, stdout } = await team.troupe(args, { env });
    expect({ args, exitCode, obeyed: obeyedIn(stdout) }).toEqual({ args, exitCode: 0, obeyed: [] });
  }
  const [message] = JSON.parse((await team.troupe(['inbox', 'bob', '--json', '--unread'], { env })).stdout);
  expect(message.text).toBe(EVIL);
});
