import { open, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { answerCalls } from '../../src/agent/calls/toolCalls.js';
import { knownTools } from '../../src/definitions/toolNames.js';
import { markedProcesses } from '../../src/host/children.js';
import { systemClock } from '../../src/host/clock.js';
import type { ToolUseBlock } from '../../src/model/types.js';
import { createReadLedger } from '../../src/tools/support/files/readLedger.js';
import { eventually } from '../helpers/eventually.js';
import { tempDir } from '../helpers/tempDir.js';
import { toolContext } from './context.js';
import { everyTool, markIn } from './every.js';

it.each(everyTool('/').map((tool) => [tool.name, tool] as const))(
  '%s says of wrong input what is wrong and what it takes',
  (name, tool) => {
    const { properties, required } = tool.schema.input_schema;
    const fields = Object.keys(properties ?? {});
    const refusal = (input: unknown) => {
      try {
        tool.prepare(input, toolContext('/'));
      } catch (error) {
        return error instanceof Error ? error.message : '';
      }
      return 'accepted';
    };
    const [first = 'x'] = fields;
    const slip = refusal({ [`${first}x`]: 1 });
    expect(slip).toContain(
      `The input does not fit ${name}:\n- ${first}x: there is no such field.${fields.length > 0 ? ' Did you mean' : `\n${name} takes no fields.`}`,
    );
    for (const field of fields) expect(slip.split('\n').at(-1)).toContain(field);
    for (const field of required ?? []) expect(slip).toContain(`- ${field}: `);
    expect(refusal('text')).toContain('- input: Invalid input: expected object, received string');
    expect(refusal(Object.fromEntries([first, ...fields].map((field) => [field, { wrong: true }])))).toContain(
      `does not fit ${name}`,
    );
  },
);

/** Runs calls as an agent does, with a signal that may be aborted already. */
async function answers(dir: string, signal: AbortSignal, ...calls: [name: string, input: object][]) {
  const state = { cwd: dir, mode: 'bypassPermissions' as const };
  const blocks = calls.map(([name, input], index) => ({
    type: 'tool_use',
    id: `t${index}`,
    name,
    input,
  })) as ToolUseBlock[];
  const gate = { decide: async () => ({ allow: true }) as const };
  const drain = new AbortController().signal;
  const tools = everyTool(join(dir, 'home'));
  const running = answerCalls(blocks, { tools, gate, state, readLedger: createReadLedger(), drain }, signal);
  let step = await running.next();
  while (!step.done) step = await running.next();
  return step.value.results.map(({ content, is_error }) => ({ content, is_error }));
}

it('answers every call of a turn that is cancelled, and leaves no file half written', async () => {
  await using dir = await tempDir();
  await writeFile(join(dir.path, 'a.txt'), 'one\n');
  await writeFile(join(dir.path, 'a.ipynb'), '{"cells":[],"metadata":{},"nbformat":4,"nbformat_minor":5}');
  const abort = new AbortController();
  abort.abort();
  const results = await answers(
    dir.path,
    abort.signal,
    ['Write', { file_path: 'b.txt', content: 'b' }],
    ['Edit', { file_path: 'a.txt', old_string: 'one', new_string: 'two' }],
    ['NotebookEdit', { notebook_path: 'a.ipynb', new_source: 'x', edit_mode: 'insert', cell_type: 'code' }],
    ['Bash', { command: 'touch c.txt' }],
  );
  expect(results.map(({ is_error }) => is_error)).toEqual([true, true, true, true]);
  expect((await readdir(dir.path)).sort()).toEqual(['a.ipynb', 'a.txt']);
  expect(await readFile(join(dir.path, 'a.txt'), 'utf8')).toBe('one\n');
});

const NOTEBOOK = (text: string) =>
  JSON.stringify({
    cells: [{ cell_type: 'markdown', id: 'a', metadata: {}, source: [text] }],
    metadata: {},
    nbformat: 4,
    nbformat_minor: 5,
  });
const LONG = 'x'.repeat(5_000_000);

it.each<[string, file: string, before: string, after: string, input: object]>([
  ['Write', 'new.txt', '', LONG, { file_path: 'new.txt', content: LONG }],
  ['Edit', 'a.txt', `one${LONG}`, `two${LONG}`, { file_path: 'a.txt', old_string: 'one', new_string: 'two' }],
  [
    'NotebookEdit',
    'a.ipynb',
    NOTEBOOK('old'),
    NOTEBOOK(LONG),
    { notebook_path: 'a.ipynb', cell_id: 'a', new_source: LONG },
  ],
])(
  '%s writes whole or not at all when the turn is ended in the middle of it, without a draft',
  async (name, file, before, after, input) => {
    const outcomes = new Set<string>();
    for (const delay of [0, 1, 5, 10, 20, 50, 500]) {
      await using dir = await tempDir();
      if (before !== '') await writeFile(join(dir.path, file), before);
      const abort = new AbortController();
      const seen = before === '' ? [] : [['Read', { file_path: file, limit: 1 }] as [string, object]];
      const done = answers(dir.path, abort.signal, ...seen, [name, input]);
      await systemClock.sleep(delay);
      abort.abort();
      const result = (await done).at(-1);
      const names = await readdir(dir.path);
      expect(names.filter((entry) => entry.endsWith('.tmp'))).toEqual([]);
      const now = names.includes(file) ? await readFile(join(dir.path, file), 'utf8') : '';
      expect(
        now === (result?.is_error === true ? before : after),
        `${delay} ms: ${String(result?.content).slice(0, 200)}`,
      ).toBe(true);
      outcomes.add(result?.is_error === true ? 'before' : 'after');
    }
    expect(outcomes.has('before')).toBe(true);
  },
);

interface Middle {
  readonly input: object;
  /** Prepares what the call meets. */
  readonly before?: (folder: string) => Promise<void>;
  /** Passes once the call is under way. */
  readonly begun?: (folder: string) => Promise<unknown>;
  readonly after?: (folder: string) => Promise<void>;
}

const question = { question: 'Which?', header: 'x', options: ['a', 'b'].map((label) => ({ label, description: '' })) };
const silent = createServer(() => {});

/** Calls that can take long, in the middle of their work. */
const LONG_CALLS: Readonly<Record<string, Middle>> = {
  Agent: { input: { description: 'x', prompt: 'x' } },
  AskUserQuestion: { input: { questions: [question] } },
  Bash: {
    input: { command: 'touch begun; setsid sleep 60 & sleep 60; touch late' },
    begun: (folder) => readFile(join(folder, 'begun')),
    async after(folder) {
      expect(await markedProcesses(markIn(join(folder, 'home')))).toEqual([]);
      expect(await readdir(folder)).not.toContain('late');
    },
  },
  Grep: { input: { pattern: 'what stands n[o]where', path: '/' } },
  Read: {
    input: { file_path: 'large', offset: 2 },
    async before(folder) {
      const file = await open(join(folder, 'large'), 'w');
      await file.writeFile('text\n'.repeat(2000));
      await file.truncate(20_000_000_000);
      await file.close();
    },
  },
  Skill: { input: { skill: 'x' } },
  TaskOutput: { input: { task_id: 'x' } },
  WebFetch: { input: { url: 'http://127.0.0.1:PORT/', prompt: 'x' } },
  WebSearch: { input: { query: 'abc' } },
};

/** What is over at once, or must come to its own end: a worktree, a message, a plan that is half made would be worse. */
const WHOLE = new Set([
  ...['Edit', 'EnterPlanMode', 'EnterWorktree', 'ExitPlanMode', 'ExitWorktree', 'Glob', 'ListMcpResources'],
  ...['NotebookEdit', 'ReadMcpResource', 'SendMessage', 'TaskCreate', 'TaskGet', 'TaskList', 'TaskStop', 'TaskUpdate'],
  ...['TeamCreate', 'TeamDelete', 'TodoWrite', 'ToolSearch', 'Write'],
]);

it('has every tool there is in one of the two lists of what a cancellation does', () => {
  const names = everyTool('/').map(({ name }) => name);
  expect([...Object.keys(LONG_CALLS), ...WHOLE].sort()).toEqual(names.sort());
  // The answer of a run is the harness's own.
  expect([...names, 'StructuredOutput'].sort()).toEqual([...knownTools()].sort());
});

it.each(Object.entries(LONG_CALLS))(
  '%s that is cancelled in the middle says so and leaves nothing behind',
  async (name, middle) => {
    await using dir = await tempDir();
    await new Promise<void>((ready) => silent.listen(0, '127.0.0.1', ready));
    try {
      const { port } = silent.address() as AddressInfo;
      const input = JSON.parse(JSON.stringify(middle.input).replace('PORT', String(port)));
      await middle.before?.(dir.path);
      const abort = new AbortController();
      const running = answers(dir.path, abort.signal, [name, input]);
      await eventually(() => middle.begun?.(dir.path));
      await new Promise((resolve) => setImmediate(resolve));
      abort.abort(new DOMException('stopped', 'AbortError'));
      expect(await running).toEqual([{ is_error: true, content: expect.stringMatching(/ancelled/) }]);
      await middle.after?.(dir.path);
    } finally {
      silent.closeAllConnections();
      await new Promise((closed) => silent.close(closed));
    }
  },
);

it('names the nearest of an unknown tool', async () => {
  await using dir = await tempDir();
  const [result] = await answers(dir.path, new AbortController().signal, ['WebFetsh', {}]);
  expect(result?.content).toMatch(
    /^There is no tool "WebFetsh"\. Did you mean "WebFetch"\? Tools: Agent, AskUserQuestion, Bash/,
  );
});

it('takes a call by the old name of a tool for one of that tool', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'a.txt');
  const calls: [string, object][] = [
    ['FileWrite', { file_path: path, content: 'a' }],
    ['FileRead', { file_path: path }],
    ['FileEdit', { file_path: path, old_string: 'a', new_string: 'b' }],
  ];
  const results = await answers(dir.path, new AbortController().signal, ...calls);
  expect(results.map(({ is_error }) => is_error)).toEqual([undefined, undefined, undefined]);
  expect(await readFile(path, 'utf8')).toBe('b');
});
