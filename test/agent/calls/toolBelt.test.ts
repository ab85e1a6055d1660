import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { createToolBelt, MOST_LISTED } from '../../../src/agent/calls/toolBelt.js';
import { defineTool, type Tool } from '../../../src/agent/tool.js';
import { createToolSearchTool } from '../../../src/tools/toolSearch.js';
import { toolContext } from '../../tools/context.js';

const toolCalled = (name: string, description = '') =>
  defineTool({
    name,
    description,
    input: z.object({}),
    isReadOnly: false,
    access: () => ({ kind: 'none' }),
    call: async () => `${name} has run`,
  });
const search = createToolSearchTool({ deferred: () => [], load: () => [] });
const many = (count: number, prefix = 'mcp__meadow__tool_') =>
  Array.from({ length: count }, (_, index) =>
    toolCalled(`${prefix}${index + 1}`, `Counts the sheep of meadow ${index + 1}.`),
  );
const beltOf = (tools: readonly Tool[], listed?: readonly string[]) =>
  createToolBelt(tools, { search: createToolSearchTool, listed });
const sent = (tools: readonly Tool[]) => tools.flatMap(({ name, deferred }) => (deferred ? [] : [name]));

async function call(tools: readonly Tool[], name: string, input: object = {}): Promise<unknown> {
  const tool = tools.find((one) => one.name === name);
  return (await tool?.prepare(input, toolContext('/')).run())?.content;
}

test(`up to ${MOST_LISTED} tools all are sent, and the one that loads others is not`, () => {
  const belt = beltOf([toolCalled('Read'), ...many(MOST_LISTED - 1), search]);
  expect(sent(belt.tools)).toHaveLength(MOST_LISTED);
  expect(sent(belt.tools)).not.toContain('ToolSearch');
  expect(belt.deferred()).toEqual([]);
});

test('with one more those of MCP servers are not sent until they are loaded, and then come behind all others', async () => {
  const belt = beltOf([toolCalled('Read'), ...many(MOST_LISTED), search]);
  expect(sent(belt.tools).sort()).toEqual(['Read', 'ToolSearch']);
  const answer = await call(belt.tools, 'ToolSearch', { query: 'select:mcp__meadow__tool_30,mcp__meadow__tool_4' });
  expect(answer).toMatch(/^Loaded.*\n- mcp__meadow__tool_4: Counts.*\n- mcp__meadow__tool_30/s);
  expect(sent(belt.tools).slice(-2)).toEqual(['mcp__meadow__tool_4', 'mcp__meadow__tool_30']);
  await call(belt.tools, 'ToolSearch', { query: 'select:mcp__meadow__tool_1' });
  expect(sent(belt.tools).slice(-3)).toEqual(['mcp__meadow__tool_4', 'mcp__meadow__tool_30', 'mcp__meadow__tool_1']);
  expect(await call(belt.tools, 'mcp__meadow__tool_1')).toBe('mcp__meadow__tool_1 has run');
});

test('a call of a tool that is not loaded says how it is loaded', async () => {
  const belt = beltOf([...many(41), search]);
  await expect(call(belt.tools, 'mcp__meadow__tool_2')).rejects.toThrow(
    'mcp__meadow__tool_2 is not loaded. Load it with ToolSearch, "select:mcp__meadow__tool_2", and call it in your next step.',
  );
});

test('tools are found by their words, the best first, and not more than asked for', async () => {
  const belt = beltOf([...many(41), toolCalled('mcp__git__list_issues', 'All open bugs.'), search]);
  expect(await call(belt.tools, 'ToolSearch', { query: 'open issues', max_results: 1 })).toMatch(
    /- mcp__git__list_issues/,
  );
  expect(await call(belt.tools, 'ToolSearch', { query: 'sheep', max_results: 2 })).toMatch(
    /tool_1: [^-]*- .*tool_2: [^-]*$/,
  );
  expect(await call(belt.tools, 'ToolSearch', { query: 'nothing of the kind' })).toMatch(
    /^No tool fits\. To be loaded: /,
  );
  await expect(call(belt.tools, 'ToolSearch', { query: 'select:mcp__git__nope' })).rejects.toThrow('mcp__git__nope');
});

test('what was sent keeps its place when the tools are renewed; what is new comes behind it, what is gone is gone', async () => {
  const read = toolCalled('Read');
  const belt = beltOf([read, ...many(2), search]);
  belt.renew([toolCalled('mcp__a__first'), read, ...many(2).slice(1), search]);
  expect(sent(belt.tools)).toEqual(['Read', 'mcp__meadow__tool_2', 'mcp__a__first']);
  belt.renew([toolCalled('mcp__a__first'), read, ...many(41).slice(1), search]);
  expect(sent(belt.tools)).toEqual(['ToolSearch', 'Read', 'mcp__meadow__tool_2', 'mcp__a__first']);
  await call(belt.tools, 'ToolSearch', { query: 'select:mcp__meadow__tool_9' });
  belt.renew([toolCalled('mcp__a__first'), read, ...many(41).slice(1), search]);
  expect(sent(belt.tools)).toContain('mcp__meadow__tool_9');
});

test('without the tool that loads others nothing is deferred: its list says what it has', () => {
  expect(sent(beltOf(many(60)).tools)).toHaveLength(60);
});

test('a fork is sent exactly what its parent was sent, and can load the rest', async () => {
  const parent = beltOf([toolCalled('Read'), ...many(41), search]);
  parent.load(['mcp__meadow__tool_7']);
  const fork = beltOf(
    parent.tools.map((tool) => tool.deferred ?? tool),
    sent(parent.tools),
  );
  expect(sent(fork.tools)).toEqual(sent(parent.tools));
  await call(fork.tools, 'ToolSearch', { query: 'select:mcp__meadow__tool_8' });
  expect(sent(fork.tools)).toEqual([...sent(parent.tools), 'mcp__meadow__tool_8']);
});
