import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { eventually } from '../helpers/eventually.js';
import { addTemplate, heardBy, live, resultOf, runJson } from '../helpers/headless.js';
import { stage } from '../helpers/program.js';

const pair = (rest = '') => `---
name: pair
description: A lead and one more.
members: [{ name: bob, permissionMode: bypassPermissions, prompt: Look. }]
${rest}lead: { permissionMode: bypassPermissions }
---
{{prompt}}
`;

const WAITS = `
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: Bash, input: { command: touch go } }]
    - when: { user: 'The report of bob' }
      reply: Bob says it is 42.
    - reply: I wait for bob.
  bob:
    - when: { turn: 1 }
      reply: [{ tool: Bash, input: { command: 'until [ -e go ]; do sleep 0.1; done; sleep 1.2' } }]
    - reply: 'The report of bob: 42.'
`;

test.each(['in-process', 'tmux'])(
  'a lead that ends its turn first is waited for until its member has reported (%s)',
  async (backend) => {
    await using team = await stage(WAITS);
    await addTemplate(team, 'pair', pair());
    const { exitCode, result } = await runJson(team, 'pair', 'What is it?', '--backend', backend);
    expect(exitCode).toBe(0);
    expect(result).toMatchObject({ subtype: 'success', result: 'Bob says it is 42.', num_turns: 3 });
    expect(result.members.find(({ name }) => name === 'bob')).toMatchObject({
      turns: 2,
      lastReport: 'The report of bob: 42.',
    });
  },
);

test('a task that nobody takes ends a run with 4, after one turn in which the lead is told of it', async () => {
  await using alone = await stage(
    'agents: { team-lead: [{ when: { user: "Nobody works" }, reply: "So be it." }, { reply: "Done." }] }',
  );
  await addTemplate(
    alone,
    'left',
    '---\nname: left\ndescription: x\ntasks: [{ subject: Dig, description: Deep. }]\n---\nGo.\n',
  );
  const { exitCode, result } = await runJson(alone, 'left');
  expect(exitCode).toBe(4);
  expect(result).toMatchObject({
    subtype: 'error_teammates_unfinished',
    is_error: true,
    result: 'So be it.',
    errors: [expect.stringContaining('task 1 "Dig" is pending, without an owner')],
    tasks: [{ id: '1', subject: 'Dig', status: 'pending' }],
  });
  const told = heardBy(alone, 'team-lead').map((request) => request.includes('Nobody works any more'));
  expect(told).toEqual([false, true]);
});

test('a lead that sets an open task right when it is told of it ends well', async () => {
  await using alone = await stage(
    'agents: { team-lead: [{ when: { user: "Nobody works" }, reply: [{ tool: TaskUpdate, input: { taskId: "1", status: completed } }] }, { reply: "Done." }] }',
  );
  await addTemplate(
    alone,
    'left',
    '---\nname: left\ndescription: x\ntasks: [{ subject: Dig, description: Deep. }]\n---\nGo.\n',
  );
  const { exitCode, result } = await runJson(alone, 'left');
  expect({ exitCode, tasks: result.tasks }).toEqual({
    exitCode: 0,
    tasks: [{ id: '1', subject: 'Dig', status: 'completed' }],
  });
});

const Record = z.looseObject({ pid: z.number() });

test('a member that is killed is told to the lead, and keeps no run from its end', async () => {
  await using team = await stage(`
agents:
  team-lead: [{ when: { user: 'bob has ended' }, reply: Bob is gone. }, { reply: I wait for bob. }]
  bob: [{ fault: { stream: hang, times: 9 }, reply: never }]
`);
  await addTemplate(team, 'pair', pair());
  await using run = await live(team, [
    'run',
    'pair',
    'x',
    '--backend',
    'tmux',
    '--name',
    'dies',
    '--output-format',
    'json',
  ]);
  await eventually(() => expect(heardBy(team, 'bob')).toHaveLength(1));
  const record = await readFile(join(team.home, 'teams', 'dies', 'run', 'bob.json'), 'utf8');
  process.kill(Record.parse(JSON.parse(record)).pid, 'SIGKILL');
  const ended = await run.ended();
  expect(ended.exitCode, ended.stderr).toBe(0);
  const result = resultOf(ended);
  expect(result.result).toBe('Bob is gone.');
  expect(result.members.find(({ name }) => name === 'bob')?.state).toBe('terminated');
});

test('a member whose turn fails is told to the lead, and keeps no run from its end', async () => {
  await using team = await stage(`
agents:
  team-lead: [{ when: { user: 'turn failed' }, reply: Bob failed. }, { reply: I wait for bob. }]
  bob: [{ fault: { status: 400, message: such nonsense, times: 9 }, reply: never }]
`);
  await addTemplate(team, 'pair', pair());
  const { exitCode, result } = await runJson(team, 'pair', 'x');
  expect({ exitCode, result: result.result }).toEqual({ exitCode: 0, result: 'Bob failed.' });
  expect(heardBy(team, 'team-lead').at(-1)).toContain('such nonsense');
});
