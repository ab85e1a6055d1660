import { expect, test } from 'vitest';
import { countedBy, sumOf } from '../helpers/counted.js';
import { addTemplate, runJson } from '../helpers/headless.js';
import { stage } from '../helpers/program.js';

const TEAM = `---
name: pair
description: A lead and one more.
lead: { permissionMode: bypassPermissions }
members: [{ name: bob, model: haiku, permissionMode: bypassPermissions, prompt: Look. }]
---
Go.
`;
const asks = (more = '') =>
  `{ tool: Agent, input: { description: Look, prompt: Look., subagent_type: general-purpose${more} } }`;
const TURNS = `
agents:
  team-lead:
    - { when: { turn: 1 }, reply: [${asks(', model: opus')}, ${asks(', run_in_background: true')}] }
    - { reply: All is told. }
  'team-lead/*': [{ when: { turn: 1 }, reply: [{ tool: Bash, input: { command: 'echo seen' } }] }, { reply: I saw it. }]
  bob: [{ when: { turn: 1 }, fault: { status: 529, retryAfter: 0.02, times: 1 }, reply: [${asks()}] }, { reply: I looked. }]
  'bob/*': [{ reply: Nothing there. }]
`;

const of = (name: string) => (agent: string) => agent === name || agent.startsWith(`${name}/`);

test.each(['in-process', 'tmux'])(
  'a result’s sums are what the model server counted: of all, of each member with its sub-agents, of each model (%s)',
  async (backend) => {
    await using team = await stage(TURNS);
    await addTemplate(team, 'pair', TEAM);
    const { exitCode, result, stderr } = await runJson(team, 'pair', '--backend', backend);
    expect(exitCode, stderr).toBe(0);
    const counted = countedBy(team);
    const all = sumOf(counted);
    expect(result.usage).toEqual(all.usage);
    expect(result.total_cost_usd).toBeCloseTo(all.usd, 9);

    const agents = new Set(counted.map(({ agent }) => agent.replace(/\/.*/, '/')));
    expect(agents).toEqual(new Set(['team-lead', 'team-lead/', 'bob', 'bob/']));
    for (const { name, usage, costUsd } of result.members) {
      const own = sumOf(counted.filter(({ agent }) => of(name)(agent)));
      expect({ name, usage }).toEqual({ name, usage: own.usage });
      expect(costUsd, name).toBeCloseTo(own.usd, 9);
    }

    const models = [...new Set(counted.map(({ model }) => model))];
    expect(models).toHaveLength(3);
    expect(Object.keys(result.modelUsage).toSorted()).toEqual(models.toSorted());
    for (const model of models) {
      const own = sumOf(counted.filter((request) => request.model === model));
      expect(result.modelUsage[model]).toMatchObject({
        inputTokens: own.usage.input_tokens,
        outputTokens: own.usage.output_tokens,
        cacheReadInputTokens: own.usage.cache_read_input_tokens,
        cacheCreationInputTokens: own.usage.cache_creation_input_tokens,
        costUSD: expect.closeTo(own.usd, 9),
      });
    }

    const turns = (name: string) => counted.filter(({ agent }) => agent === name).length;
    expect(result.num_turns).toBe(turns('team-lead'));
    expect(result.members.map(({ name, turns }) => [name, turns])).toEqual(
      result.members.map(({ name }) => [name, turns(name)]),
    );
  },
);

test('duration_api_ms is the models’ time of every member, not only the lead’s', async () => {
  const slow = '{ fault: { slowStart: 1, times: 1 }, reply: [{ tool: Bash, input: { command: "sleep 0.1" } }] }';
  await using alone = await stage(`agents:\n  team-lead: [{ reply: I wait. }]\n  bob: [${slow}, { reply: Done. }]\n`);
  await addTemplate(alone, 'pair', TEAM);
  const { exitCode, result, stderr } = await runJson(alone, 'pair');
  expect(exitCode, stderr).toBe(0);
  expect(result.duration_api_ms).toBeGreaterThanOrEqual(1000);
});

test('what a fallback model answered is counted as its own, and at its price', async () => {
  await using team = await stage(
    "agents: { team-lead: [{ when: { model: sonnet }, fault: { status: 529, times: 100 }, reply: no }, { reply: 'Here.' }] }",
  );
  const { exitCode, result } = await runJson(team, 'Hello.', '--model', 'sonnet', '--fallback-model', 'haiku');
  expect(exitCode).toBe(0);
  const [answered, ...others] = countedBy(team);
  expect(others).toEqual([]);
  expect(answered?.model).toMatch(/haiku/);
  expect(Object.keys(result.modelUsage)).toEqual([answered?.model]);
  expect(result.total_cost_usd).toBeCloseTo(answered?.usd ?? -1, 9);
});
