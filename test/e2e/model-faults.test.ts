import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LoggedRequest } from '../../src/modelServer/requestLog.js';
import { askedOver, countedBy, GOES_ON, sumOf } from '../helpers/counted.js';
import { addTemplate, runJson } from '../helpers/headless.js';
import { stage } from '../helpers/program.js';

const FIVE = ['ada', 'bea', 'cem', 'dov', 'eva'];

/** A template of a lead and five teammates who may do anything. */
const five = `---
name: five
description: A lead and five teammates.
members: [${FIVE.map((name) => `{ name: ${name}, permissionMode: bypassPermissions, prompt: Look. }`).join(', ')}]
lead: { permissionMode: bypassPermissions }
---
{{prompt}}
`;

const refused = (log: readonly LoggedRequest[]) => log.filter(({ status }) => status === 529);
const badRequests = (log: readonly LoggedRequest[]) => log.filter(({ status }) => status === 400);

test.each(['in-process', 'tmux'])(
  'five teammates and their lead come through an outage, and hold back together (%s)',
  async (backend) => {
    await using team = await stage("agents: { team-lead: [{ reply: 'I wait.' }], '*': [{ reply: 'My report.' }] }");
    await addTemplate(team, 'five', five);
    team.server.failNext({ status: 529, for: 2 });
    const { exitCode, result } = await runJson(team, 'five', 'Go.', '--backend', backend);
    expect(exitCode).toBe(0);
    const reports = result.members.filter(({ lastReport }) => lastReport === 'My report.').map(({ name }) => name);
    expect(reports.sort()).toEqual(FIVE);
    // Each may be refused once before the first refusal is known to all; afterwards one at a time.
    expect(refused(team.server.log()).length).toBeLessThanOrEqual(FIVE.length + 1 + 4);
    expect(badRequests(team.server.log())).toEqual([]);
  },
);

test.each(['cut', 'error', 'malformed'] as const)(
  'a stream that breaks (%s) in the JSON of a tool’s input loses nothing, and the tool runs once',
  async (stream) => {
    const words = 'a line that is long enough to be cut in the middle';
    await using team = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      fault: { stream: ${stream}, times: 2 }
      reply: [{ text: I write. }, { tool: Bash, input: { command: 'echo ${words} >> out.txt' } }, { tool: Bash, input: { command: 'echo second >> out.txt' } }]
    - reply: 'Written: {{result}}'
`);
    const { exitCode, result } = await runJson(team, 'Write.', '--permission-mode', 'bypassPermissions');
    expect({ exitCode, turns: result.num_turns }).toEqual({ exitCode: 0, turns: 2 });
    const written = (await readFile(join(team.folder, 'out.txt'), 'utf8')).trim().split('\n');
    expect(written.sort()).toEqual([words, 'second']);
    expect(team.server.log().map(({ status, fault }) => [status, fault])).toEqual([
      [200, stream],
      [200, stream],
      [200, undefined],
      [200, undefined],
    ]);
    expect(JSON.stringify(team.server.log()[3]?.body).match(/"type":"tool_use"/g)).toHaveLength(2);
  },
);

test('an answer that reaches max_tokens in the middle of a call runs nothing, and is taken up again', async () => {
  await using team = await stage(`
agents:
  team-lead:
    - when: { user: 'output limit' }
      reply: [{ tool: Bash, input: { command: 'echo whole >> out.txt' } }]
    - when: { tool: Bash }
      reply: Done.
    - fault: { stop: max_tokens }
      reply: [{ text: I begin. }, { tool: Bash, input: { command: 'echo half >> out.txt' } }]
`);
  const { exitCode, result } = await runJson(team, 'Write.', '--permission-mode', 'bypassPermissions');
  expect({ exitCode, result: result.result }).toEqual({ exitCode: 0, result: 'Done.' });
  expect(await readFile(join(team.folder, 'out.txt'), 'utf8')).toBe('whole\n');
  expect(badRequests(team.server.log())).toEqual([]);
});

test.each([
  ['refusal', { stop: 'refusal' }, /refused/],
  ['a prompt that is too long', { promptTooLong: true }, /prompt is too long: 1000001 tokens > 1000000 maximum/],
] as const)('%s ends a run with the service’s own words', async (_, fault, words) => {
  await using team = await stage();
  team.server.failNext({ ...fault, times: 10 });
  const { exitCode, result } = await runJson(team, 'Go.');
  expect(exitCode).toBe(1);
  expect(result.errors?.join('\n')).toMatch(words);
});

test('a budget of $0.10 stops a team, within one request a member over it', async () => {
  await using team = await stage(`agents: { '*': ${GOES_ON} }`);
  await addTemplate(team, 'five', five);
  const { exitCode, result } = await runJson(
    team,
    'five',
    'Go.',
    '--max-budget-usd',
    '0.10',
    '--model',
    'fable',
    '--backend',
    'in-process',
  );
  expect({ exitCode, subtype: result.subtype }).toEqual({ exitCode: 3, subtype: 'error_max_budget_usd' });
  expect(result.total_cost_usd).toBeGreaterThanOrEqual(0.1);

  const counted = countedBy(team);
  expect(sumOf(counted).usd).toBeCloseTo(result.total_cost_usd, 6);
  expect(askedOver(0.1, counted)).toEqual([]);
});
