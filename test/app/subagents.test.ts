import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ToolScope } from '../../src/app/subagents/subagent.js';
import { subagentSettings } from '../../src/app/subagents/subagentSettings.js';
import { memberStandText } from '../../src/app/subagents/subagentWords.js';
import { createTaskPort } from '../../src/app/subagents/taskPort.js';
import type { AgentDefinition } from '../../src/definitions/agent.js';
import { systemClock } from '../../src/host/clock.js';
import { resolveModel } from '../../src/model/catalogue.js';
import type { Launch } from '../../src/team/start/launch.js';
import { createTaskStopTool } from '../../src/tools/taskOutput.js';
import { fieldOf } from '../agent/background/taskBench.js';
import { fakeModel, onAbort, type Reply, shortOf, tool } from '../agent/harness.js';
import { eventually } from '../helpers/eventually.js';
import { fakeClock } from '../helpers/fakeClock.js';
import { toolContext } from '../tools/context.js';
import { subagentBench } from './subagentBench.js';

/** A tool that runs until it is let go, and counts how often it was called. */
function gatedTool() {
  let open: () => void = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const calls: string[] = [];
  const work = tool(
    'Bash',
    async ({ toolUseId, signal }) => {
      calls.push(toolUseId);
      await Promise.race([gate, new Promise<void>((_, reject) => onAbort(signal, () => reject(signal.reason)))]);
      return 'worked';
    },
    { isReadOnly: true },
  );
  return { work, calls, open: () => open() };
}

const launched = (text: string) => JSON.parse(text) as { taskId: string; agentId: string; outputFile: string };

test('in the foreground the caller has the text and one line with id, tool uses, tokens and time', async () => {
  await using bench = await subagentBench({
    replies: [[{ calls: ['Bash'] }, { text: 'It is 42.' }]],
    tools: () => [tool('Bash', async () => 'x')],
  });
  expect(await bench.call()).toMatch(/^It is 42\.\n\n\[agent-[0-9a-f]{16}: 1 tool uses, 4 tokens, [\d.]+ s\]$/);
  expect(bench.arrivals).toEqual([]);
  expect(await bench.files.tasks()).toMatchObject([{ status: 'completed', backgrounded: false, notified: false }]);
  expect(bench.spent).toEqual([0.5, 0.5]);
  expect(bench.events.map(({ type }) => type)).toContain('task_notification');
});

test('a new kind of agent is a definition and nothing else', async () => {
  const counter: AgentDefinition = {
    agentType: 'counter',
    whenToUse: 'To count.',
    tools: ['Read'],
    model: 'haiku',
    oneShot: true,
    criticalSystemReminder: 'Count on.',
    getSystemPrompt: ({ toolNames }) => `You count with ${toolNames.join()}.`,
    source: 'project',
  };
  await using bench = await subagentBench({
    definitions: [counter],
    replies: [[{ text: 'Three.' }]],
    tools: () => [tool('Bash', async () => ''), tool('Read', async () => '')],
  });
  expect(await bench.call({ subagentType: 'counter' })).toBe('Three.');
  const [request] = bench.models()[0]?.requests ?? [];
  expect(request).toMatchObject({ model: resolveModel('haiku'), tools: [{ name: 'Read' }] });
  expect(request?.system[0]).toBe('You count with Read.');
  expect(shortOf(request?.messages[0]).at(-1)).toContain('Count on.');
});

test('in the background the caller goes on at once; output and notice are exactly the result', async () => {
  const { work, open } = gatedTool();
  await using bench = await subagentBench({
    replies: [[{ text: 'On it.', calls: ['Bash'] }, { text: 'It is 42.' }]],
    tools: () => [work],
  });
  const { taskId, agentId, outputFile } = launched(await bench.call({ runInBackground: true }));
  expect(bench.registry.find(agentId)?.record()).toMatchObject({ id: taskId, status: 'running', backgrounded: true });
  open();
  await eventually(() => expect(bench.arrivals).toHaveLength(1));
  expect(fieldOf(bench.arrivals[0]?.text, 'result')).toBe('It is 42.');
  expect(await readFile(outputFile, 'utf8')).toBe('On it.\n[Running]\nIt is 42.\n\nIt is 42.\n');
  expect((await bench.files.notices()).map(({ id }) => id)).toEqual([taskId]);
  await bench.registry.delivered(bench.arrivals);
  expect(await bench.files.notices()).toEqual([]);
});

test.each<[string, readonly Reply[], string, string]>([
  ['an answer without a word', [{ text: '' }], 'partial', 'ended without a word'],
  ['a model that fails', [{ fails: new Error('down') }], 'failed', 'down'],
])('%s is not called completed', async (_, replies, status, words) => {
  await using bench = await subagentBench({ replies: [replies] });
  await bench.call({ runInBackground: true });
  await eventually(() => expect(bench.arrivals).toHaveLength(1));
  expect(fieldOf(bench.arrivals[0]?.text, 'status')).toBe(status);
  expect(fieldOf(bench.arrivals[0]?.text, 'summary')).toContain(words);
  expect(await bench.files.agents()).toMatchObject([{ status }]);
});

test('an agent that has had its turns is partial, and its caller knows where it stopped', async () => {
  const short: AgentDefinition = {
    agentType: 'short',
    whenToUse: '',
    maxTurns: 1,
    getSystemPrompt: () => 'x',
    source: 'project',
  };
  await using bench = await subagentBench({
    definitions: [short],
    replies: [[{ text: 'Half of it.', calls: ['Bash'] }]],
    tools: () => [tool('Bash', async () => '')],
  });
  expect(await bench.call({ subagentType: 'short' })).toMatch(
    /^Half of it\.\n\[partial: It had all the turns that it may have\. Its transcript is in .*agent-.*\.jsonl\]/,
  );
});

test('after 120 s in the foreground the same run goes on in the background: what it did is done once', async () => {
  const clock = fakeClock();
  const { work, calls, open } = gatedTool();
  await using bench = await subagentBench({
    clock,
    environment: { TROUPE_AUTO_BACKGROUND_TASKS: '1' },
    replies: [[{ calls: ['Bash'] }, { text: 'It is 42.' }]],
    tools: () => [work],
  });
  const call = bench.call();
  await eventually(() => expect(calls).toHaveLength(1));
  await clock.advance(119_999);
  expect(bench.registry.all()[0]?.record().backgrounded).toBe(false);
  await clock.advance(1);
  const { agentId, taskId } = launched(await call);
  expect((await bench.files.tasks())[0]).toMatchObject({ id: taskId, backgrounded: true, status: 'running' });
  // Its caller's turn is over: that is no matter of its any more.
  bench.turn.abort();
  open();
  await eventually(() => expect(bench.arrivals).toHaveLength(1));
  expect(fieldOf(bench.arrivals[0]?.text, 'agent-id')).toBe(agentId);
  expect(fieldOf(bench.arrivals[0]?.text, 'result')).toBe('It is 42.');
  expect(calls).toHaveLength(1);
});

test('an abort of the caller reaches an agent in the foreground, none in the background, and no sibling', async () => {
  const { work, calls, open } = gatedTool();
  const run: Reply[] = [{ calls: ['Bash'] }, { text: 'done' }];
  await using bench = await subagentBench({ replies: [run, run, run], tools: () => [work] });
  const own = new AbortController();
  const stopped = bench.call({}, own.signal);
  const sibling = bench.call();
  await bench.call({ runInBackground: true });
  await eventually(() => expect(calls).toHaveLength(3));
  own.abort();
  await expect(stopped).rejects.toThrow('ended before it was done');
  open();
  expect(await sibling).toMatch(/^done/);
  await eventually(() => expect(bench.arrivals).toHaveLength(1));
  expect(fieldOf(bench.arrivals[0]?.text, 'status')).toBe('completed');
});

test('an agent that gives no sign is ended after its time, one that gives signs is not; a sibling never waits for it', async () => {
  const clock = fakeClock();
  await using bench = await subagentBench({
    clock,
    environment: { TROUPE_AGENT_IDLE_TIMEOUT: '60' },
    replies: [[{ text: 'I begin.', calls: ['Bash'] }, { hangs: true }], [{ text: 'It is 42.' }]],
    tools: () => [tool('Bash', async () => '')],
  });
  const hung = bench.call();
  hung.catch(() => {});
  await eventually(() => expect(bench.models()[0]?.requests).toHaveLength(2));
  expect(await bench.call()).toMatch(/^It is 42/);
  await clock.advance(59_999);
  expect(bench.registry.all().map((task) => task.record().status)).toContain('running');
  await clock.advance(1);
  await expect(hung).rejects.toThrow('It gave no sign for 60 s.');
  expect((await bench.files.agents()).map(({ status }) => status).sort()).toEqual(['completed', 'timed_out']);
});

test('an agent that hangs in a tool which obeys nobody is left behind ten seconds after it was asked to end', async () => {
  const clock = fakeClock();
  let entered = false;
  const deaf = tool('Bash', () => {
    entered = true;
    return new Promise<string>(() => {});
  });
  await using bench = await subagentBench({ clock, replies: [[{ calls: ['Bash'] }]], tools: () => [deaf] });
  const { taskId } = launched(await bench.call({ runInBackground: true }));
  await eventually(() => expect(entered).toBe(true));
  const stopping = bench.tasks.stop(taskId);
  await clock.advance(10_000);
  expect(JSON.parse(await stopping)).toMatchObject({ task_id: taskId, task_type: 'agent' });
  await eventually(() => expect(bench.arrivals).toHaveLength(1));
  expect(fieldOf(bench.arrivals[0]?.text, 'status')).toBe('killed');
});

test('TaskOutput waits for an end or its time-out, and tells how it stands; TaskStop ends by id or agent', async () => {
  const { work } = gatedTool();
  await using bench = await subagentBench({
    replies: [[{ text: 'On it.', calls: ['Bash'] }], [{ text: 'It is 42.' }]],
    tools: () => [work],
  });
  const { agentId } = launched(await bench.call({ runInBackground: true }));
  await eventually(async () => expect(await bench.tasks.output(agentId, 0, bench.turn.signal)).toContain('On it.'));
  expect(await bench.tasks.output(agentId, 20, bench.turn.signal)).toMatch(
    /running\n1 tool uses[\s\S]*Lately: Running/,
  );
  expect(JSON.parse(await bench.tasks.stop(agentId))).toMatchObject({ message: 'Stopped look around' });
  expect(await bench.tasks.output(agentId, 60_000, bench.turn.signal)).toContain('killed');
  expect(await bench.tasks.stop(agentId)).toContain('has ended already: killed');
  await expect(bench.tasks.output('nobody', 0, bench.turn.signal)).rejects.toThrow(
    /There is no task "nobody"\. Tasks: /,
  );
});

test('a message to a running agent is read behind its next step, also when it comes with its last words', async () => {
  const { work, calls, open } = gatedTool();
  await using bench = await subagentBench({
    replies: [[{ calls: ['Bash'] }, { text: 'one' }]],
    tools: () => [work],
  });
  const { agentId } = launched(await bench.call({ runInBackground: true }));
  await eventually(() => expect(calls).toHaveLength(1));
  expect(await bench.tell(agentId, 'And the other one?')).toContain('reads your message');
  open();
  await eventually(() => expect(bench.arrivals).toHaveLength(1));
  expect(shortOf(bench.models()[0]?.requests[1]?.messages.at(-1)).join()).toContain('And the other one?');
});

test('an agent that has ended goes on from its sidechain: same id, type, model and mode, and nothing runs again', async () => {
  let count = 0;
  const work = tool('Bash', async () => `${++count}`);
  await using bench = await subagentBench({
    replies: [[{ calls: ['Bash'] }, { text: 'It is 42.' }, { text: 'As I said.' }]],
    tools: () => [work],
  });
  await bench.call({ subagentType: 'Plan', description: 'plan it' });
  const [before] = await bench.files.agents();
  const { agentId } = launched((await bench.tell(before?.agentId ?? '', 'Are you sure?')) ?? '');
  expect(agentId).toBe(before?.agentId);
  await eventually(() => expect(bench.arrivals).toHaveLength(1));
  expect(fieldOf(bench.arrivals[0]?.text, 'result')).toBe('As I said.');
  const [after] = await bench.files.agents();
  expect(after).toMatchObject({ agentType: 'Plan', model: before?.model, mode: before?.mode, cwd: before?.cwd });
  const last = bench.models()[0]?.requests.at(-1);
  expect(last?.messages.map((message) => shortOf(message).join())).toEqual([
    expect.stringContaining('Look.'),
    'tool_use',
    'result: 1',
    'It is 42.',
    expect.stringContaining('Are you sure?'),
  ]);
  expect(count).toBe(1);
});

test('two messages at once to an agent that has ended start it once', async () => {
  await using bench = await subagentBench({ replies: [[{ text: 'one' }, { text: 'two' }, { text: 'three' }]] });
  await bench.call();
  const [{ agentId = '' } = {}] = await bench.files.agents();
  const answers = await Promise.all([bench.tell(agentId, 'a'), bench.tell(agentId, 'b')]);
  expect(answers.filter((answer) => answer?.includes('async_launched'))).toHaveLength(1);
  expect(answers.filter((answer) => answer?.includes('is running'))).toHaveLength(1);
  await eventually(() => expect(bench.arrivals).toHaveLength(1));
});

test('a name leads to its agent; one that a member or a running agent has is refused', async () => {
  const { work, calls, open } = gatedTool();
  await using bench = await subagentBench({ replies: [[{ calls: ['Bash'] }, { text: 'hi' }]], tools: () => [work] });
  await bench.call({ name: 'scout', runInBackground: true });
  await eventually(() => expect(calls).toHaveLength(1));
  expect(bench.registry.find('scout')?.record()).toMatchObject({ name: 'scout', status: 'running' });
  expect(await bench.tell('scout', 'hello')).toContain('is running');
  await expect(bench.call({ name: 'scout' })).rejects.toThrow('An agent called "scout" is running');
  await expect(bench.call({ name: 'carol' })).rejects.toThrow('A member of the team is called "carol"');
  expect(await bench.tell('nobody', 'hello')).toBeUndefined();
  expect(bench.registry.all()).toHaveLength(1);
  open();
  await eventually(() => expect(bench.arrivals).toHaveLength(1));
  expect(await bench.tell('scout', 'go on')).toContain('async_launched');
});

test('a teammate in its lead’s process has agents in the foreground only, and resumes them so', async () => {
  await using bench = await subagentBench({ backend: 'in-process', replies: [[{ text: 'one' }, { text: 'two' }]] });
  await expect(bench.call({ runInBackground: true })).rejects.toThrow('cannot have agents in the background');
  expect(await bench.call({ subagentType: 'verification' })).toMatch(/^one/);
  const [{ agentId = '' } = {}] = await bench.files.agents();
  expect(await bench.tell(agentId, 'more')).toMatch(/^two/);
  expect(bench.arrivals).toEqual([]);
});

test('a sub-agent has no Agent tool at the limit of depth, and one above it; in the background only what needs nobody', async () => {
  const all = () => ['Bash', 'TaskCreate', 'TaskOutput', 'mcp__x__y'].map((name) => tool(name, async () => ''));
  const names = (bench: Awaited<ReturnType<typeof subagentBench>>) =>
    bench.models().map((model) => model.requests[0]?.tools.map(({ name }) => name));
  await using flat = await subagentBench({ tools: all });
  await flat.call();
  await flat.call({ runInBackground: true });
  await eventually(() => expect(flat.arrivals).toHaveLength(1));
  expect(names(flat)).toEqual([
    ['Bash', 'TaskCreate', 'mcp__x__y'],
    ['Bash', 'mcp__x__y'],
  ]);

  await using deep = await subagentBench({
    tools: all,
    settings: { limits: { depth: 2, concurrent: 20, perSession: 200 } },
    replies: [[{ calls: [{ name: 'Agent', input: { description: 'd', prompt: 'deeper' } }] }], [{ text: 'deep' }]],
  });
  await deep.call();
  expect(names(deep)).toEqual([
    ['Agent', 'Bash', 'TaskCreate', 'mcp__x__y'],
    ['Bash', 'TaskCreate', 'mcp__x__y'],
  ]);
  expect((await deep.files.agents()).map(({ depth, parent }) => [depth, parent])).toContainEqual([
    2,
    expect.stringMatching(/^agent-/),
  ]);
});

test('ids of the sidechain and its record are the agent’s, and its lines say whose they are', async () => {
  await using bench = await subagentBench({ replies: [[{ text: 'hi' }]] });
  await bench.call();
  const [{ agentId = '' } = {}] = await bench.files.agents();
  const lines = (await readFile(join(bench.session.agents, `${agentId}.jsonl`), 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { type: 'user', isSidechain: true, agentId },
    { type: 'assistant', isSidechain: true, agentId },
  ]);
});

test('an agent that was stopped in mid-turn goes on by its id: a call without a result is told as cancelled and not run again', async () => {
  const { work, calls, open } = gatedTool();
  await using bench = await subagentBench({
    replies: [[{ calls: ['Bash'] }, { text: 'Where was I?' }]],
    tools: () => [work],
  });
  const { agentId } = launched(await bench.call({ runInBackground: true }));
  await eventually(() => expect(calls).toHaveLength(1));
  await bench.tasks.stop(agentId);
  expect(await bench.files.agents()).toMatchObject([{ status: 'killed' }]);
  open();
  await bench.tell(agentId, 'Go on.');
  await eventually(() => expect(bench.arrivals).toHaveLength(2));
  expect(fieldOf(bench.arrivals[1]?.text, 'result')).toBe('Where was I?');
  const said = bench
    .models()[0]
    ?.requests.at(-1)
    ?.messages.map((message) => shortOf(message).join('; '));
  expect(said?.slice(2)).toEqual(['error: Bash was cancelled before it was done.', expect.stringContaining('Go on.')]);
  expect(calls).toHaveLength(1);
});

test('an agent that writes more than its output may have is stopped, and the notice says why', async () => {
  await using bench = await subagentBench({
    maxOutputBytes: 2000,
    replies: [[{ text: 'a'.repeat(3000), calls: ['Bash'] }, { text: 'never' }]],
    tools: () => [tool('Bash', async () => '')],
  });
  const { outputFile } = launched(await bench.call({ runInBackground: true }));
  await eventually(() => expect(bench.arrivals).toHaveLength(1));
  expect(fieldOf(bench.arrivals[0]?.text, 'status')).toBe('killed');
  expect(fieldOf(bench.arrivals[0]?.text, 'summary')).toContain('Its output file is full');
  const text = await readFile(outputFile, 'utf8');
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2000);
  expect(text).toContain('[full: no more is kept]');
});

test('every start has exactly one stop, however the agent ends', async () => {
  const told: string[] = [];
  await using bench = await subagentBench({
    replies: [[{ text: 'fine' }], [{ fails: new Error('down') }], [{ hangs: true }]],
    given: {
      async onStart({ agentId }) {
        told.push(`start ${agentId}`);
        return async () => void told.push(`stop ${agentId}`);
      },
    },
  });
  await bench.call();
  await expect(bench.call()).rejects.toThrow('down');
  const { agentId } = launched(await bench.call({ runInBackground: true }));
  await bench.tasks.stop(agentId);
  await eventually(() => expect(told).toHaveLength(6));
  const agents = (await bench.files.agents()).map(({ agentId }) => agentId);
  for (const id of agents) expect(told.filter((line) => line.endsWith(id))).toEqual([`start ${id}`, `stop ${id}`]);
});

test('what the classifier warns of stands in front of the result; one that hangs holds nobody up for more than ten seconds', async () => {
  const clock = fakeClock();
  let isHung = false;
  let asked = 0;
  const classify = async () => {
    asked++;
    return isHung ? new Promise<never>(() => {}) : 'SECURITY WARNING: it read secrets.';
  };
  await using bench = await subagentBench({
    clock,
    replies: [[{ text: 'It is 42.' }], [{ text: 'It is 43.' }]],
    given: { classify },
  });
  expect(await bench.call()).toMatch(/^SECURITY WARNING: it read secrets\.\nIt is 42\./);
  isHung = true;
  const second = bench.call();
  // Its ten seconds have begun: only now may time move.
  await eventually(() => expect(asked).toBe(2));
  expect(bench.registry.all()[1]?.record().status).toBe('completed');
  await clock.advance(10_000);
  expect(await second).toMatch(/^It is 43\.\n\[What it did was not judged/);
});

test('what is to be read in the foreground can be let go: the lead’s person moves it to the background', async () => {
  const { work, calls, open } = gatedTool();
  await using bench = await subagentBench({ replies: [[{ calls: ['Bash'] }, { text: 'hi' }]], tools: () => [work] });
  const call = bench.call();
  await eventually(() => expect(calls).toHaveLength(1));
  await bench.registry.all()[0]?.moveToBackground();
  expect(launched(await call).agentId).toMatch(/^agent-/);
  open();
  await eventually(() => expect(bench.arrivals).toHaveLength(1));
  expect(calls).toHaveLength(1);
});

test('an agent that goes on is never in a wider mode than its parent is by then', async () => {
  const modes: string[] = [];
  await using bench = await subagentBench({
    replies: [[{ calls: ['Bash'] }, { text: 'one' }, { calls: ['Bash'] }, { text: 'two' }]],
    tools: () => [
      tool('Bash', async ({ mode }) => {
        modes.push(mode);
        return '';
      }),
    ],
  });
  bench.state.mode = 'bypassPermissions';
  await bench.call();
  bench.state.mode = 'plan';
  const [{ agentId = '' } = {}] = await bench.files.agents();
  await bench.tell(agentId, 'more');
  await eventually(() => expect(bench.arrivals).toHaveLength(1));
  expect(modes).toEqual(['bypassPermissions', 'plan']);
});

test('its tools are bound to it: its folder, its mark, and a cd that does not last', async () => {
  const scopes: ToolScope[] = [];
  await using bench = await subagentBench({
    tools: (scope) => {
      scopes.push(scope);
      return [];
    },
  });
  await bench.call();
  const [{ agentId = '' } = {}] = await bench.files.agents();
  expect(scopes).toMatchObject([
    { keepsCwd: true, folder: bench.cwd },
    { keepsCwd: false, folder: bench.cwd, agentId },
  ]);
});

test('TaskStop takes the old name of its field, and says what it needs', async () => {
  const tool = createTaskStopTool({ stop: async (id) => `Stopped ${id}.` });
  const stop = (input: object) => tool.prepare(input, toolContext('/')).run();
  expect(await stop({ shell_id: 'task-1' })).toEqual({ content: 'Stopped task-1.' });
  await expect(stop({})).rejects.toThrow('Give task_id: the id or name of what is to be ended.');
});

test('TaskOutput of a name that is no task says how the member of that name stands, where there is one', async () => {
  await using bench = await subagentBench();
  const port = createTaskPort({
    registry: bench.registry,
    clock: systemClock,
    standOf: async (name) => (name === 'carol' ? memberStandText(name, undefined) : undefined),
  });
  expect(await port.output('carol', 60_000, bench.turn.signal)).toBe(
    'carol is a member of the team (never started) and no task. What it does comes to you as messages; ask it with SendMessage.',
  );
  await expect(port.output('dave', 0, bench.turn.signal)).rejects.toThrow('There is no task "dave". None is running.');
});

test('TaskStop of a name that is no task asks the member of that name to shut down, where there is one', async () => {
  await using bench = await subagentBench();
  const port = createTaskPort({
    registry: bench.registry,
    clock: systemClock,
    shutDown: async (name) => (name === 'carol' ? 'Asked carol to shut down.' : undefined),
  });
  expect(await port.stop('carol')).toBe('Asked carol to shut down.');
  await expect(port.stop('dave')).rejects.toThrow('There is no task "dave". None is running.');
});

test.each([
  [{}, 'on', undefined],
  [{ TROUPE_AUTO_BACKGROUND_TASKS: '1' }, 'on', 120_000],
  [{ TROUPE_AUTO_BACKGROUND_TASKS: '1', TROUPE_DISABLE_BACKGROUND_TASKS: 'true' }, 'off', undefined],
  [{ TROUPE_AUTO_BACKGROUND_TASKS: 'false' }, 'on', undefined],
])('the environment %j means: background %s, by itself after %s', (environment, background, autoBackgroundMs) => {
  const launch = { environment, settings: { agentLimits: { concurrent: 2 } }, backend: 'tmux', role: 'lead' };
  expect(subagentSettings(launch as unknown as Launch)).toMatchObject({
    background,
    autoBackgroundMs,
    limits: { depth: 1, concurrent: 2, perSession: 200 },
    idleMs: 600_000,
  });
});

test('a message that comes with an agent’s last words, or while it is being cleared away, is not lost', async () => {
  const texts: string[] = [];
  const say = async (words: string) => {
    const [{ agentId = '' } = {}] = await bench.files.agents();
    texts.push((await bench.tell(agentId, words)) ?? '');
  };
  const model = fakeModel([{ text: 'one' }, { text: 'two' }, { text: 'three' }]);
  await using bench = await subagentBench({
    given: {
      client: {
        async *stream(request, signal) {
          if (model.requests.length === 0) await say('With the last words.');
          return yield* model.stream(request, signal);
        },
      },
      endChildren: async () => {
        if (texts.length === 1) await say('While it is cleared away.');
      },
    },
  });
  await bench.call({ runInBackground: true });
  await eventually(() => expect(bench.arrivals).toHaveLength(2));
  expect(texts.every((text) => text.includes('is running'))).toBe(true);
  expect(bench.arrivals.map(({ text }) => fieldOf(text, 'result'))).toEqual(['two', 'three']);
  const heard = model.requests.map(({ messages }) => shortOf(messages.at(-1)).join());
  expect(heard).toEqual([
    expect.stringContaining('Look.'),
    expect.stringContaining('With the last words.'),
    expect.stringContaining('While it is cleared away.'),
  ]);
});
