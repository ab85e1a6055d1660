import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { eventually } from '../helpers/eventually.js';
import { addTemplate, heardBy, live, resultOf, runJson } from '../helpers/headless.js';
import { goWhen, timedOut, UNTIL_GO } from '../helpers/ordered.js';
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
    - when: { user: 'The report of bob' }
      reply: Bob says it is 42.
    - reply: I wait for bob.
  bob:
    - when: { turn: 1 }
      reply: [{ tool: Bash, input: { command: '${UNTIL_GO}' } }]
    - reply: 'The report of bob: 42.'
`;

test.concurrent.each(['in-process', 'tmux'])(
  'a lead that ends its turn first is waited for until its member has reported (%s)',
  async (backend) => {
    await using team = await stage(WAITS);
    await addTemplate(team, 'pair', pair());
    const [{ exitCode, result }] = await Promise.all([
      runJson(team, 'pair', 'What is it?', '--backend', backend),
      goWhen(team, { name: 'team-lead', state: 'idle', turns: 1 }),
    ]);
    expect(exitCode).toBe(0);
    expect(result).toMatchObject({ subtype: 'success', result: 'Bob says it is 42.', num_turns: 2 });
    expect(result.members.find(({ name }) => name === 'bob')).toMatchObject({
      turns: 2,
      lastReport: 'The report of bob: 42.',
    });
  },
);

interface Scenario {
  readonly what: string;
  /** Front matter of the template, besides its name. */
  readonly team: string;
  readonly agents: string;
  readonly timesOut?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly exitCode: number;
  /** Of the result. */
  readonly subtype: string;
  readonly result: string;
  readonly errors?: readonly RegExp[];
  readonly members?: Readonly<Record<string, string>>;
  readonly tasks?: readonly string[];
  readonly denials?: number;
  /** How many of the lead's turns begin with being told that something is open. */
  readonly nudges?: number;
}

const BOB =
  'members: [{ name: bob, permissionMode: bypassPermissions, prompt: Look. }]\nlead: { permissionMode: bypassPermissions }';
const DIG = 'tasks: [{ subject: Dig, description: Deep. }]';

const SCENARIOS: readonly Scenario[] = [
  {
    what: 'nothing to do for anybody but the lead',
    team: 'members: [{ name: bob }]',
    agents: 'team-lead: [{ reply: Done. }]',
    exitCode: 0,
    subtype: 'success',
    result: 'Done.',
    members: { bob: 'idle', 'team-lead': 'idle' },
  },
  {
    what: 'the lead ends last',
    team: BOB,
    agents: `
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: Bash, input: { command: 'until [ -e bob-is-done ]; do sleep 0.1; done; sleep 1' } }]
    - reply: The lead is done.
  bob:
    - when: { turn: 1 }
      reply: [{ tool: Bash, input: { command: touch bob-is-done } }]
    - reply: 'Bob is done.'`,
    exitCode: 0,
    subtype: 'success',
    result: 'The lead is done.',
  },
  {
    what: 'a message that crosses the end of the lead',
    team: BOB,
    agents: `
  team-lead:
    - when: { user: 'Wait, there is more' }
      reply: Now I know all.
    - reply: I know all.
  bob:
    - when: { turn: 1 }
      reply: [{ tool: SendMessage, input: { to: team-lead, message: 'Wait, there is more', summary: more } }]
    - reply: [{ text: '' }]`,
    exitCode: 0,
    subtype: 'success',
    result: 'Now I know all.',
  },
  {
    what: 'an agent in the background, whose caller has ended its turn',
    team: BOB.replace(', prompt: Look.', ''),
    agents: `
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: Agent, input: { description: Look, prompt: Look., subagent_type: general-purpose, run_in_background: true } }]
    - when: { user: 'It was seen' }
      reply: The agent saw it.
    - reply: I wait for the agent.
  'team-lead/*':
    - when: { turn: 1 }
      reply: [{ tool: Bash, input: { command: sleep 1.5 } }]
    - reply: It was seen.`,
    exitCode: 0,
    subtype: 'success',
    result: 'The agent saw it.',
  },
  {
    what: 'a task that nobody takes',
    team: DIG,
    agents: 'team-lead: [{ when: { user: "Nobody works" }, reply: "So be it." }, { reply: "Done." }]',
    exitCode: 4,
    subtype: 'error_teammates_unfinished',
    result: 'So be it.',
    errors: [/task 1 "Dig" is pending, without an owner/, /^team-lead: idle, 2 turns, \$0\.\d{4}$/],
    tasks: ['Dig pending'],
    nudges: 1,
  },
  {
    what: 'a task that the lead sets right when it is told of it',
    team: DIG,
    agents:
      'team-lead: [{ when: { user: "Nobody works" }, once: true, reply: [{ tool: TaskUpdate, input: { taskId: "1", status: completed } }] }, { reply: "Done." }]',
    exitCode: 0,
    subtype: 'success',
    result: 'Done.',
    tasks: ['Dig completed'],
    nudges: 1,
  },
  {
    what: 'a task whose owner stopped in the middle of it',
    team: `members: [{ name: bob, permissionMode: bypassPermissions }]\ntasks: [{ subject: Dig, description: Deep., owner: bob }]`,
    agents: `
  team-lead: [{ reply: I wait. }]
  bob:
    - { when: { turn: 1 }, reply: [{ tool: TaskUpdate, input: { taskId: '1', status: in_progress } }] }
    - { reply: I am tired. }`,
    exitCode: 4,
    subtype: 'error_teammates_unfinished',
    result: 'I wait.',
    errors: [/task 1 "Dig" is in_progress, owner bob$/, /^bob: idle, 2 turns/, /^team-lead: idle/],
    tasks: ['Dig in_progress'],
    nudges: 1,
  },
  {
    what: 'a plan that nobody decides on',
    team: 'members: [{ name: bob, plan: true, prompt: Plan. }]',
    agents: `
  team-lead: [{ reply: I do not care. }]
  bob: [{ reply: [{ tool: ExitPlanMode, input: { plan: Dig. } }] }]`,
    exitCode: 4,
    subtype: 'error_teammates_unfinished',
    result: 'I do not care.',
    errors: [/the plan of bob waits for an answer/, /^bob: working, 1 turn/, /^team-lead/],
    nudges: 1,
  },
  {
    what: 'a permission that nobody can give',
    team: 'members: [{ name: bob, prompt: Touch. }]',
    agents: `
  team-lead: [{ when: { user: 'I may not' }, reply: Bob may not. }, { reply: I wait. }]
  bob: [{ when: { turn: 1 }, reply: [{ tool: Bash, input: { command: touch made } }] }, { reply: I may not. }]`,
    exitCode: 0,
    subtype: 'success',
    result: 'Bob may not.',
    denials: 1,
  },
  {
    what: 'a member that hangs, until --timeout',
    team: BOB,
    agents: `
  team-lead: [{ reply: I wait for bob. }]
  bob: [{ reply: [{ tool: Bash, input: { command: sleep 100 } }] }]`,
    timesOut: true,
    exitCode: 124,
    subtype: 'error_timeout',
    result: 'I wait for bob.',
    errors: [/--timeout/, /^bob: working \(Bash\), 1 turn, \$/, /^team-lead: idle, 1 turn, \$/],
    members: { bob: 'working', 'team-lead': 'idle' },
  },
  {
    what: 'an agent that hangs, until it is ended for its silence',
    team: BOB.replace(', prompt: Look.', ''),
    env: { TROUPE_AGENT_IDLE_TIMEOUT: '1' },
    agents: `
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: Agent, input: { description: Look, prompt: Look., subagent_type: general-purpose, run_in_background: true } }]
    - when: { user: 'no sign for 1 s' }
      reply: The agent hung.
    - reply: I wait for the agent.
  'team-lead/*': [{ fault: { stream: hang, times: 9 }, reply: never }]`,
    exitCode: 0,
    subtype: 'success',
    result: 'The agent hung.',
  },
  {
    what: 'a member whose turn fails',
    team: BOB,
    agents: `
  team-lead: [{ when: { user: 'Its turn failed: [^"]*such nonsense' }, reply: Bob failed. }, { reply: I wait for bob. }]
  bob: [{ fault: { status: 400, message: such nonsense, times: 9 }, reply: never }]`,
    exitCode: 0,
    subtype: 'success',
    result: 'Bob failed.',
  },
];

test.concurrent.each(SCENARIOS)('a run ends when it is over, with $exitCode: $what', async (scenario) =>
  scenario.timesOut ? timedOut((timeout) => expectScenario(scenario, '--timeout', timeout)) : expectScenario(scenario),
);

async function expectScenario(scenario: Scenario, ...args: string[]): Promise<void> {
  const { team: front, agents, env = {}, exitCode, denials = 0, nudges = 0 } = scenario;
  await using team = await stage(`agents:\n  ${agents.trim()}\n`);
  await addTemplate(team, 'case', `---\nname: case\ndescription: x\n${front}\n---\nGo.\n`);
  const words = ['run', 'case', '--backend', 'in-process', '--output-format', 'json', ...args];
  const ended = await team.troupe(words, { timeout: 100_000, env: { ...team.env, ...env } });
  const result = resultOf(ended);
  expect({ exitCode: ended.exitCode, result }, ended.stderr).toMatchObject({
    exitCode,
    result: { subtype: scenario.subtype, is_error: exitCode !== 0, result: scenario.result },
  });
  expect(result.errors ?? []).toEqual((scenario.errors ?? []).map((words) => expect.stringMatching(words)));
  if (scenario.members)
    expect(Object.fromEntries(result.members.map(({ name, state }) => [name, state]))).toEqual(scenario.members);
  expect(result.tasks.map(({ subject, status }) => `${subject} ${status}`)).toEqual(scenario.tasks ?? []);
  expect(result.permission_denials).toHaveLength(denials);
  const told = heardBy(team, 'team-lead').at(-1)?.split('Nobody works any more').length ?? 1;
  expect(told - 1).toBe(nudges);
}

const Record = z.looseObject({ pid: z.number() });

test.concurrent('a member that is killed is told to the lead, and keeps no run from its end', async () => {
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
