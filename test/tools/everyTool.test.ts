import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Tool } from '../../src/agent/tool.js';
import { answerCalls } from '../../src/agent/toolCalls.js';
import { systemClock } from '../../src/host/clock.js';
import type { ToolUseBlock } from '../../src/model/types.js';
import { createAskUserQuestionTool } from '../../src/tools/askUserQuestion.js';
import { createBashTool } from '../../src/tools/bash.js';
import { createEditTool } from '../../src/tools/edit.js';
import { globTool } from '../../src/tools/glob.js';
import { grepTool } from '../../src/tools/grep.js';
import { createNotebookEditTool } from '../../src/tools/notebookEdit.js';
import { readTool } from '../../src/tools/read.js';
import { createReadLedger } from '../../src/tools/support/readLedger.js';
import { createTodoWriteTool } from '../../src/tools/todoWrite.js';
import { createWebFetchTool } from '../../src/tools/webFetch.js';
import { createEnterWorktreeTool, createExitWorktreeTool } from '../../src/tools/worktree.js';
import { createWriteTool } from '../../src/tools/write.js';
import { tempDir } from '../helpers/tempDir.js';
import { toolContext } from './context.js';

const unused = () => Promise.reject(new Error('not to be reached'));

function allTools(outputFolder: string): Tool[] {
  return [
    createAskUserQuestionTool(unused),
    createBashTool({
      clock: systemClock,
      mark: { member: 'bob@red:1', home: outputFolder },
      environment: () => ({ PATH: process.env['PATH'] ?? '' }),
      outputFolder,
      keepsCwd: true,
      folders: () => [],
    }),
    createEditTool(),
    createEnterWorktreeTool({ enter: unused }),
    createExitWorktreeTool({ leave: unused }),
    globTool,
    grepTool,
    createNotebookEditTool(),
    readTool,
    createTodoWriteTool(),
    createWebFetchTool({ clock: systemClock, isAllowedByName: () => false, askSmallModel: unused }),
    createWriteTool(),
  ];
}

it.each(allTools('/').map((tool) => [tool.name, tool] as const))(
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
    expect(slip).toContain(`The input does not fit ${name}:\n- ${first}x: there is no such field. Did you mean`);
    for (const field of fields) expect(slip.split('\n').at(-1)).toContain(field);
    for (const field of required ?? []) expect(slip).toContain(`- ${field}: `);
    expect(refusal('text')).toContain('- input: Invalid input: expected object, received string');
    expect(refusal(Object.fromEntries(fields.map((field) => [field, { wrong: true }])))).toContain(
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
  const tools = allTools(join(dir, 'output'));
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

it('writes a file whole or not at all when the turn is ended in the middle of it, without a draft', async () => {
  await using dir = await tempDir();
  const content = 'x'.repeat(20_000_000);
  for (const delay of [0, 1, 5, 20]) {
    const abort = new AbortController();
    const written = answers(dir.path, abort.signal, ['Write', { file_path: `${delay}.txt`, content }]);
    await systemClock.sleep(delay);
    abort.abort();
    const [result] = await written;
    const names = await readdir(dir.path);
    expect(names.filter((name) => name.endsWith('.tmp'))).toEqual([]);
    const size = names.includes(`${delay}.txt`) ? (await readFile(join(dir.path, `${delay}.txt`))).length : 0;
    expect([result?.is_error === true ? 0 : content.length]).toContain(size);
  }
});

it('names the nearest of an unknown tool', async () => {
  await using dir = await tempDir();
  const [result] = await answers(dir.path, new AbortController().signal, ['WebFetsh', {}]);
  expect(result?.content).toMatch(
    /^There is no tool "WebFetsh"\. Did you mean "WebFetch"\? Tools: AskUserQuestion, Bash/,
  );
});
