import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { homeAt } from '../../src/config/paths.js';
import { markedProcesses } from '../../src/host/children.js';
import { openTaskFiles } from '../../src/transcript/taskFiles.js';
import { eventually } from '../helpers/eventually.js';
import { addTemplate, heardBy, linesOf, runJson } from '../helpers/headless.js';
import { goWhen, UNTIL_GO } from '../helpers/ordered.js';
import { type Stage, stage } from '../helpers/program.js';

/** What is on disk of the only session of a home. */
async function sessionOf({ home }: Stage) {
  const [id = ''] = await readdir(join(home, 'sessions'));
  const root = join(home, 'sessions', id);
  const read = async (folder: string) =>
    Promise.all(
      (await readdir(join(root, folder)))
        .filter((name) => name.endsWith('.json'))
        .map(async (name) => JSON.parse(await readFile(join(root, folder, name), 'utf8'))),
    );
  return { root, tasks: await read('tasks'), agents: await read('agents'), notices: await read('notices') };
}

const BACKGROUND = `
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: Agent, input: { description: look around, prompt: Look., run_in_background: true } }]
    - when: { user: 'task-notification' }
      reply: I was told.
    - reply: I go on without it.
  team-lead/*:
    - when: { turn: 1 }
      reply: [{ text: First I wait. }, { tool: Bash, input: { command: '${UNTIL_GO}' } }]
    - reply: 'It is <b>42</b>.'
`;
/** The lead has ended its turn, and the agent is at work. */
const RESTS = { name: 'team-lead', state: 'idle', turns: 2 };

test('an agent in the background keeps a run from being over; its one notice wakes the lead, its output is whole by then', async () => {
  await using team = await stage(BACKGROUND);
  const [{ exitCode, result }] = await Promise.all([
    runJson(team, 'Look.', '--permission-mode', 'bypassPermissions'),
    goWhen(team, RESTS),
  ]);
  expect(exitCode).toBe(0);
  expect(result).toMatchObject({ subtype: 'success', result: 'I was told.', num_turns: 3 });

  const { tasks, agents, notices } = await sessionOf(team);
  expect(notices).toEqual([]);
  expect(tasks).toMatchObject([
    {
      type: 'agent',
      status: 'completed',
      backgrounded: true,
      notified: true,
      result: 'It is <b>42</b>.',
      progress: { toolUses: 1, recentActivities: [expect.stringMatching(/^Running until/)] },
    },
  ]);
  expect(agents).toMatchObject([
    { agentId: tasks[0].agentId, agentType: 'general-purpose', status: 'completed', parent: 'team-lead', depth: 1 },
  ]);
  expect(await readFile(tasks[0].outputFile, 'utf8')).toMatch(
    /^First I wait\.\n\[Running until .*\]\n[\s\S]*\nIt is <b>42<\/b>\.\n$/,
  );
  const told = heardBy(team, 'team-lead').join('\n');
  expect(told).toContain('It is &lt;b&gt;42&lt;/b&gt;.');
  expect(told).toContain('async_launched');
});

test('stream-json tells when a task starts, gets on and ends', async () => {
  await using team = await stage(BACKGROUND);
  const [ended] = await Promise.all([
    team.troupe(['run', '--output-format', 'stream-json', 'Look.', '--permission-mode', 'bypassPermissions'], {
      timeout: 100_000,
    }),
    goWhen(team, RESTS),
  ]);
  const lines = linesOf(ended).filter(({ subtype }) => subtype?.startsWith('task_'));
  expect(lines[0]).toMatchObject({ subtype: 'task_started', status: 'running', task_type: 'agent' });
  expect(lines.at(-1)).toMatchObject({ subtype: 'task_notification', status: 'completed', usage: { tool_uses: 1 } });
  expect(lines.slice(1, -1).map(({ subtype }) => subtype)).toContain('task_progress');
});

const STOPPED = `
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: Agent, input: { description: sleep, prompt: Sleep., run_in_background: true } }]
    - when: { turn: 2 }
      capture: { id: { from: result, match: '"agentId":"([^"]+)"' } }
      reply: [{ tool: TaskOutput, input: { task_id: '{{id}}', timeout: 1000 } }]
    - when: { turn: 3 }
      reply: [{ tool: TaskStop, input: { task_id: '{{id}}' } }]
    - when: { user: 'task-notification' }
      reply: I was told.
    - reply: I stopped it.
  team-lead/*:
    - reply: [{ tool: Bash, input: { command: 'setsid sleep 300 & sleep 300' } }]
`;

test('TaskOutput and TaskStop reach a background agent by its id; what it had started is gone', async () => {
  await using team = await stage(STOPPED);
  const { result } = await runJson(team, 'Look.', '--permission-mode', 'bypassPermissions');
  expect(result).toMatchObject({ subtype: 'success', result: 'I was told.' });
  const { tasks, notices } = await sessionOf(team);
  expect(tasks).toMatchObject([{ status: 'killed' }]);
  expect(notices).toEqual([]);
  expect(heardBy(team, 'team-lead').at(-1)).toContain('Stopped sleep');
  expect(await markedProcesses({ member: `team-lead@${result.team}`, home: team.home })).toEqual([]);
});

test('what a session’s process left running is told as lost when it goes on, once', async () => {
  const LOST = `
agents:
  team-lead: [{ reply: I wait. }]
  bob:
    - when: { user: 'lost with its process' }
      reply: I know.
    - reply: Hello.
`;
  await using team = await stage(LOST);
  await addTemplate(team, 'one', '---\nname: one\ndescription: x\nmembers: [{ name: bob, prompt: Look. }]\n---\nGo.\n');
  const up = await team.troupe(['up', 'one', '--detach', '--name', 'red']);
  expect(up.exitCode, up.stderr).toBe(0);
  try {
    await eventually(() => expect(heardBy(team, 'bob')).toHaveLength(1));
    const { sessionId } = JSON.parse(await readFile(join(team.home, 'teams/red/config.json'), 'utf8')).members.find(
      ({ name }: { name: string }) => name === 'bob',
    );
    const files = openTaskFiles(homeAt(team.home).session(sessionId));
    await files.saveTask({
      id: 'task-1',
      type: 'agent',
      agentId: 'agent-1',
      toolUseId: 'toolu_1',
      description: 'dig',
      status: 'running',
      backgrounded: true,
      startedAt: 0,
      progress: { latestInputTokens: 0, outputTokens: 0, toolUses: 0, recentActivities: [] },
      notified: false,
      outputFile: '/out',
    });
    const restarted = await team.troupe(['restart', 'bob', '-t', 'red']);
    expect(restarted.exitCode, restarted.stderr).toBe(0);
    await eventually(() => expect(heardBy(team, 'bob').at(-1)).toContain('lost with its process'));
    await eventually(async () => expect(await files.notices()).toEqual([]));
    expect(await files.tasks()).toMatchObject([{ status: 'failed', notified: true }]);
    await team.troupe(['restart', 'bob', '-t', 'red']);
    await team.troupe(['send', 'bob', 'Still there?', '-t', 'red']);
    await eventually(() => expect(heardBy(team, 'bob').at(-1)).toContain('Still there?'));
    expect(heardBy(team, 'bob').at(-1)?.split('lost with its process')).toHaveLength(2);
  } finally {
    await team.troupe(['down', 'red', '--force']);
  }
});

const FORKS = `
agents:
  team-lead:
    - when: { turn: 1 }
      reply:
        - { tool: Agent, input: { description: first, prompt: Count the files., subagent_type: fork } }
        - { tool: Agent, input: { description: second, prompt: Count the lines., subagent_type: fork, name: liner } }
    - when: { seen: ['Scope: files', 'Scope: lines'] }
      reply: Both have told me.
    - reply: I go on.
  team-lead/*:
    - when: { user: 'Count the files' }
      reply: [{ tool: Agent, input: { description: deeper, prompt: Do it., subagent_type: fork } }]
    - when: { user: 'Count the lines' }
      reply: 'Scope: lines. 3.'
    - reply: 'Scope: files. 2.'
`;

test('forks of one turn have tools and system of the lead’s last request byte for byte, and cannot fork', async () => {
  await using team = await stage(FORKS);
  const { result } = await runJson(team, 'Go.', '--permission-mode', 'bypassPermissions');
  expect(result).toMatchObject({ subtype: 'success', result: 'Both have told me.' });
  const bodies = (prefix: string) =>
    team.server.log().flatMap(({ userId, body }) => (userId.split(':')[2]?.startsWith(prefix) ? [body as Body] : []));
  const lead = bodies('team-lead').find(({ messages }) => messages.length === 1);
  const forks = bodies('team-lead/');
  expect(forks).toHaveLength(3);
  const texts = (blocks: readonly { text: string }[] = []) => blocks.map(({ text }) => text);
  for (const fork of forks) {
    expect(fork.tools?.map(({ cache_control: _, ...schema }) => schema)).toEqual(
      lead?.tools?.map(({ cache_control: _, ...schema }) => schema),
    );
    expect(texts(fork.system)).toEqual(texts(lead?.system));
  }
  expect(JSON.stringify(forks)).toContain('Agent is not yours to use: you are a fork');
  const { agents } = await sessionOf(team);
  expect(agents.map(({ origin, name }) => `${origin} ${name ?? ''}`).sort()).toEqual(['fork ', 'fork liner']);
});

const TOLD = `
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: Agent, input: { description: count, prompt: Count. } }]
    - when: { turn: 2 }
      capture: { id: { from: result, match: '\\[(agent-[0-9a-f]+):' } }
      reply: [{ tool: SendMessage, input: { to: '{{id}}', message: Are you sure? } }]
    - when: { user: 'task-notification' }
      reply: I was told.
    - reply: I wait.
  team-lead/*:
    - when: { user: 'Are you sure' }
      reply: I am.
    - reply: 'It is 42.'
`;

test('SendMessage to the id of an agent that has ended lets it go on, with all that was said before', async () => {
  await using team = await stage(TOLD);
  const { result } = await runJson(team, 'Go.');
  expect(result).toMatchObject({ subtype: 'success', result: 'I was told.' });
  const { tasks, agents } = await sessionOf(team);
  expect(agents).toHaveLength(1);
  expect(tasks.map((task) => task.result).sort()).toEqual(['I am.', 'It is 42.']);
  expect(heardBy(team, 'team-lead/').at(-1)).toMatch(/Count\.[\s\S]*It is 42\.[\s\S]*Are you sure/);
});

interface Body {
  readonly messages: readonly unknown[];
  readonly system?: readonly { readonly text: string }[];
  readonly tools?: readonly { readonly cache_control?: unknown; readonly name: string }[];
}
