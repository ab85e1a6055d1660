import { expect, test } from 'vitest';
import { askedOver, countedBy, GOES_ON, sumOf } from '../helpers/counted.js';
import { addTemplate, heardBy, runJson } from '../helpers/headless.js';
import { timedOut } from '../helpers/ordered.js';
import { type Stage, stage } from '../helpers/program.js';

const FOUR = `---
name: four
description: A lead and three teammates.
members: [${['ada', 'bea', 'cem'].map((name) => `{ name: ${name}, permissionMode: bypassPermissions, prompt: Look. }`).join(', ')}]
lead: { permissionMode: bypassPermissions }
---
Go.
`;

const ASKS_AN_AGENT =
  '[{ when: { turn: 1 }, reply: [{ tool: Agent, input: { description: Look, prompt: Look., subagent_type: general-purpose } }] }, { reply: That is all. }]';
const WAITS = '[{ reply: I wait. }]';

async function four(agents: Readonly<Record<string, string>>): Promise<Stage> {
  const lines = Object.entries(agents).map(([name, answers]) => `  '${name}': ${answers}`);
  const team = await stage(`agents:\n${lines.join('\n')}\n  '*': [{ reply: My report. }]\n`);
  await addTemplate(team, 'four', FOUR);
  return team;
}

const doing = (name: string, what = '[^,]+') =>
  expect.stringMatching(new RegExp(`^${name}: ${what}, \\d+ turns?, \\$\\d+\\.\\d{4}$`));

test.each(['in-process', 'tmux'])(
  '--max-turns ends a team of four when its lead has had them, with nobody a request over, and says who was doing what (%s)',
  async (backend) => {
    await using team = await four({ 'team-lead': GOES_ON, ada: GOES_ON, bea: GOES_ON });
    const { exitCode, result } = await runJson(team, 'four', '--max-turns', '3', '--backend', backend);
    expect({ exitCode, subtype: result.subtype }).toEqual({ exitCode: 3, subtype: 'error_max_turns' });
    expect(result.errors).toEqual([
      expect.stringContaining('--max-turns'),
      ...result.members.map(({ name }) => doing(name)),
    ]);
    expect(result.members.map(({ name }) => name).sort()).toEqual(['ada', 'bea', 'cem', 'team-lead']);
    for (const name of ['team-lead', 'ada', 'bea', 'cem'])
      expect(heardBy(team, name).length, name).toBeLessThanOrEqual(3);
    expect(heardBy(team, 'team-lead')).toHaveLength(3);
  },
);

test('a teammate that has had all its turns is named, and the run is no success though its lead is content', async () => {
  await using team = await four({ 'team-lead': WAITS, bea: GOES_ON });
  const { exitCode, result } = await runJson(team, 'four', '--max-turns', '6');
  expect({ exitCode, subtype: result.subtype }).toEqual({ exitCode: 3, subtype: 'error_max_turns' });
  expect(result.errors?.[0]).toMatch(/^bea had all the turns/);
  expect(result.errors).toContainEqual(doing('bea', 'idle'));
  expect(heardBy(team, 'bea')).toHaveLength(6);
});

test('--max-turns holds for sub-agents, and what they spend is their member’s', async () => {
  await using team = await four({ 'team-lead': WAITS, ada: ASKS_AN_AGENT, 'ada/*': GOES_ON });
  const { exitCode, result } = await runJson(team, 'four', '--max-turns', '4');
  expect(exitCode).toBe(0);
  expect(heardBy(team, 'ada/')).toHaveLength(4);
  expect(result.members.find(({ name }) => name === 'ada')?.costUsd).toBeCloseTo(spentBy(team, 'ada'), 6);
});

test.each(['in-process', 'tmux'])(
  '--max-budget-usd ends a team of four within one request an agent over it, sub-agents among them (%s)',
  async (backend) => {
    await using team = await four({ 'team-lead': WAITS, ada: ASKS_AN_AGENT, 'ada/*': GOES_ON, cem: GOES_ON });
    const args = ['four', '--max-budget-usd', '0.2', '--model', 'fable', '--backend', backend];
    const { exitCode, result } = await runJson(team, ...args);
    expect({ exitCode, subtype: result.subtype }).toEqual({ exitCode: 3, subtype: 'error_max_budget_usd' });
    expect(result.errors?.[0]).toMatch(/budget of \$0\.2 is used up/);
    expect(result.errors?.slice(1).toSorted()).toEqual(['ada', 'bea', 'cem', 'team-lead'].map((name) => doing(name)));
    expect(result.total_cost_usd).toBeGreaterThanOrEqual(0.2);
    expect(askedOver(0.2, countedBy(team))).toEqual([]);
    expect(spentBy(team, 'ada/')).toBeGreaterThan(0);
  },
);

test('--timeout ends a team of four in the middle of everything, and says who was doing what', async () => {
  await timedOut(async (timeout) => {
    await using team = await four({
      'team-lead': WAITS,
      ada: "[{ reply: [{ tool: Bash, input: { command: 'sleep 100' } }] }]",
      bea: ASKS_AN_AGENT,
      'bea/*': "[{ reply: [{ tool: Bash, input: { command: 'sleep 100' } }] }]",
    });
    const { exitCode, result, stderr } = await runJson(team, 'four', '--timeout', timeout);
    expect({ exitCode, subtype: result.subtype }, stderr).toEqual({ exitCode: 124, subtype: 'error_timeout' });
    expect(result.errors).toContainEqual(doing('ada', 'working \\(Bash\\)'));
    expect(result.errors).toContainEqual(doing('bea', 'working \\(Agent[^)]*\\)'));
    expect(result.errors).toContainEqual(doing('cem', 'idle'));
    expect(result.errors).toContainEqual(doing('team-lead', 'idle'));
  });
});

function spentBy(team: Stage, prefix: string): number {
  return sumOf(countedBy(team).filter(({ agent }) => agent.startsWith(prefix))).usd;
}
