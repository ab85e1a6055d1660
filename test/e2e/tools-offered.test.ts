import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { eventually } from '../helpers/eventually.js';
import { addTemplate, runJson } from '../helpers/headless.js';
import { mcpJson, oddServer } from '../helpers/mcp.js';
import { type Stage, stage } from '../helpers/program.js';
import { requestsOf, resultsOf } from '../helpers/requests.js';
import { tmuxStage } from '../helpers/tmuxTeam.js';

const Prompt = z.object({ tools: z.array(z.unknown()), system: z.array(z.unknown()) });

const FILES = ['Bash', 'Edit', 'Glob', 'Grep', 'NotebookEdit', 'Read', 'Write'];
const OWN = ['EnterWorktree', 'ExitWorktree', 'SendMessage', 'TodoWrite', 'WebFetch'];
/** What an agent has by what is there: a service that searches, skills, MCP servers. */
const GIVEN = ['WebSearch', 'Skill', 'mcp__odd__echo'];
const RESOURCES = ['ListMcpResources', 'ReadMcpResource'];
const TASKS = ['TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate'];
const RUNNING = ['Agent', 'TaskOutput', 'TaskStop'];
const READING = [
  'Bash',
  'EnterWorktree',
  'ExitWorktree',
  'Glob',
  'Grep',
  'Read',
  'SendMessage',
  'TodoWrite',
  'WebFetch',
];

const LEAD = [...FILES, ...OWN, ...TASKS, ...RUNNING, 'EnterPlanMode', 'ExitPlanMode', 'TeamCreate', 'TeamDelete'];
const TEAMMATE = [...FILES, ...OWN, ...TASKS, ...RUNNING];

/** Everything that an agent of a certain kind is offered: no more and no less, in every mode. */
const OFFERED: Readonly<Record<string, readonly string[]>> = {
  lead: [...LEAD, ...GIVEN, ...RESOURCES, 'StructuredOutput'],
  teammate: [...TEAMMATE, ...GIVEN, ...RESOURCES],
  'teammate whose plan needs approval': [...TEAMMATE, ...GIVEN, ...RESOURCES, 'ExitPlanMode'],
  'sub-agent': [...FILES, ...OWN, ...TASKS, ...GIVEN, ...RESOURCES],
  'sub-agent in the background': [...FILES, ...OWN, ...GIVEN],
  Explore: [...READING, ...TASKS, ...GIVEN, ...RESOURCES],
  Plan: [...READING, ...TASKS, ...GIVEN, ...RESOURCES],
};

/** The names of the tools in the first request that says something. */
function offered(stage: Pick<Stage, 'server'>, agent: string, text: string): string[] {
  const request = requestsOf(stage, agent).find(({ messages }) => JSON.stringify(messages).includes(text));
  return request?.tools.map(({ name }) => name).sort() ?? [];
}

const sorted = (kind: string) => [...(OFFERED[kind] ?? [])].sort();
const start = (prompt: string, more: string) =>
  `{ tool: Agent, input: { description: x, prompt: ${prompt}, ${more} } }`;

const SCRIPT = `
agents:
  team-lead:
    - when: { turn: 1 }
      reply:
        - ${start('I am general.', 'subagent_type: general-purpose')}
        - ${start('I explore.', 'subagent_type: Explore')}
        - ${start('I plan.', 'subagent_type: Plan')}
        - ${start('I am behind.', 'subagent_type: general-purpose, run_in_background: true')}
    - when: { turn: 2, offers: StructuredOutput }
      reply: [{ tool: StructuredOutput, input: {} }]
    - reply: Done.
  'team-lead/*': [{ reply: Done. }]
  bob: [{ reply: Done. }]
  eve:
    - when: { turn: 1 }
      reply: [{ tool: ExitPlanMode, input: { plan: Nothing. } }]
    - reply: Done.
`;

const TEAM = `---
name: pair
description: x
approver: human
members:
  - { name: bob, prompt: I am bob. }
  - { name: eve, permissionMode: plan, prompt: I am eve. }
---
Go.
`;

/** What each kind was offered. */
const everybody = (team: Stage) => ({
  lead: offered(team, 'team-lead', 'Go.'),
  teammate: offered(team, 'bob', 'I am bob.'),
  'teammate whose plan needs approval': offered(team, 'eve', 'I am eve.'),
  'sub-agent': offered(team, 'team-lead/', 'I am general.'),
  'sub-agent in the background': offered(team, 'team-lead/', 'I am behind.'),
  Explore: offered(team, 'team-lead/', 'I explore.'),
  Plan: offered(team, 'team-lead/', 'I plan.'),
});

/** A service that searches, a skill, an MCP server, and an answer that has a schema. */
async function addAll(team: Stage, ...server: string[]): Promise<string[]> {
  team.env['TROUPE_WEB_SEARCH'] = '1';
  const skill = join(team.env['HOME'] ?? '', '.claude/skills/greet');
  await mkdir(skill, { recursive: true });
  await writeFile(join(skill, 'SKILL.md'), '---\nname: greet\ndescription: Greets.\n---\nSay hello.\n');
  await writeFile(join(team.folder, 'answer.json'), '{"type":"object"}');
  return ['--mcp-config', mcpJson({ odd: oddServer(...server) }), '--json-schema', 'answer.json'];
}

test.concurrent.each([
  ['in-process', 'default'],
  ['in-process', 'plan'],
  ['in-process', 'bypassPermissions'],
  ['in-process', 'dontAsk'],
  ['tmux', 'acceptEdits'],
  ['tmux', 'plan'],
])('each kind of agent is offered its tools (%s, %s)', async (backend, mode) => {
  await using team = await stage(SCRIPT);
  await addTemplate(team, 'pair', TEAM);
  const all = await addAll(team);
  const { exitCode, stderr } = await runJson(
    team,
    ...['pair', '--backend', backend, '--permission-mode', mode, '--approve-plans', ...all],
  );
  expect(exitCode, stderr).toBe(0);
  expect(everybody(team)).toEqual(Object.fromEntries(Object.keys(OFFERED).map((kind) => [kind, sorted(kind)])));
});

test.concurrent('what needs something to be there is not offered where that is not: search, skills, servers, a schema', async () => {
  await using team = await stage(SCRIPT);
  await addTemplate(team, 'pair', TEAM);
  const { exitCode, stderr } = await runJson(team, 'pair', '--approve-plans');
  expect(exitCode, stderr).toBe(0);
  const needing = new Set([...GIVEN, ...RESOURCES, 'StructuredOutput']);
  expect(everybody(team)).toEqual(
    Object.fromEntries(Object.keys(OFFERED).map((kind) => [kind, sorted(kind).filter((name) => !needing.has(name))])),
  );
});

test.concurrent('with more than 40 tools those of servers are found by ToolSearch, whoever the agent is', async () => {
  await using team = await stage(SCRIPT);
  await addTemplate(team, 'pair', TEAM);
  const all = await addAll(team, 'tools=60');
  const { exitCode, stderr } = await runJson(team, 'pair', '--approve-plans', ...all);
  expect(exitCode, stderr).toBe(0);
  const searching = (kind: string) =>
    sorted(kind)
      .map((name) => (name.startsWith('mcp__') ? 'ToolSearch' : name))
      .sort();
  expect(everybody(team)).toEqual(Object.fromEntries(Object.keys(OFFERED).map((kind) => [kind, searching(kind)])));
});

test.concurrent('tools and system prompt of a first request are at most 30 KB, for every kind of agent and with all that there is', async () => {
  await using team = await stage(SCRIPT);
  await addTemplate(team, 'pair', TEAM);
  const all = await addAll(team);
  const { exitCode, stderr } = await runJson(team, 'pair', '--approve-plans', ...all);
  expect(exitCode, stderr).toBe(0);
  const sizes = team.server
    .log()
    .filter(({ userId }) => userId.startsWith('troupe:'))
    .map(({ userId, body }) => {
      const { tools, system } = Prompt.parse(body);
      return [userId, Buffer.byteLength(JSON.stringify(tools)) + Buffer.byteLength(JSON.stringify(system))] as const;
    });
  expect(sizes.length).toBeGreaterThan(6);
  expect(sizes.filter(([, bytes]) => bytes > 30_000)).toEqual([]);
});

test.concurrent('a fork is shown the tools of whom it comes from, byte for byte, and refused what it must not use', async () => {
  await using team = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: Agent, input: { description: x, prompt: I am a fork. } }]
    - reply: Done.
  'team-lead/*':
    - when: { turn: 1 }
      reply: [{ tool: TaskStop, input: { task_id: x } }]
    - reply: Done.
`);
  team.env['TROUPE_FORK_SUBAGENT'] = '1';
  const { exitCode, stderr } = await runJson(team, 'Look.', '--permission-mode', 'bypassPermissions');
  expect(exitCode, stderr).toBe(0);
  const [lead] = requestsOf(team, 'team-lead');
  const [fork] = requestsOf(team, 'team-lead/');
  expect(JSON.stringify(fork?.tools)).toBe(JSON.stringify(lead?.tools));
  expect(resultsOf(team, 'team-lead/').at(-1)).toMatch(/TaskStop/);
});

test.concurrent('only a lead with a person may ask that person; the answer is typed into its pane', async () => {
  await using team = await tmuxStage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply:
        - { tool: TodoWrite, input: { todos: [{ content: ask, status: in_progress, activeForm: Asking }] } }
        - tool: AskUserQuestion
          input:
            questions:
              - question: Which colour?
                header: Colour
                options: [{ label: Red, description: warm }, { label: Blue, description: cold }]
    - reply: Thank you.
  bob: [{ reply: Done. }]
`);
  await team.template('one', '---\nname: one\ndescription: x\nmembers: [{ name: bob, prompt: I am bob. }]\n---\nGo.\n');
  await team.ok('up', 'one', '--name', 'asks', '--detach', '--backend', 'tmux');
  const { pane } = await team.member('team-lead');
  await eventually(async () => {
    const shown = await team.tmux('capture-pane', '-p', '-t', pane);
    expect(shown).toMatch(/\[Colour\] Which colour\?\n {2}1 {2}Red {2}warm\n {2}2 {2}Blue {2}cold\n {2}\/answer q1 1/);
  });
  expect(await team.tmux('capture-pane', '-p', '-t', pane)).toMatch(/● To do\n {2}▸ ask\n/);
  const { members } = JSON.parse(await team.ok('status', '--json'));
  expect(members.find(({ name }: { name: string }) => name === 'team-lead')).toMatchObject({
    waitingFor: 'question',
    questions: ['Which colour?'],
    todos: [{ content: 'ask', status: 'in_progress' }],
  });
  expect(await team.ok('permissions')).toContain('team-lead asks: Which colour? (answer at its prompt: /waiting)');
  await team.type('team-lead', '/answer q1 2');
  await eventually(() => expect(resultsOf(team, 'team-lead').at(-1)).toBe('{"answers":{"Which colour?":"Blue"}}'));
  expect(await team.ok('permissions')).toContain('No request waits.');
  expect(offered(team, 'team-lead', 'Go.')).toEqual([...LEAD, 'AskUserQuestion'].sort());
  await eventually(() => expect(offered(team, 'bob', 'I am bob.')).not.toContain('AskUserQuestion'));
  await team.ok('down');
});
