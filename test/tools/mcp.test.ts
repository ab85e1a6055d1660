import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filterTools } from '../../src/agent/calls/toolFilter.js';
import type { Tool } from '../../src/agent/tool.js';
import { toolProblem } from '../../src/modelServer/check/toolSchema.js';
import { createMcpTools } from '../../src/tools/mcp.js';
import { createListMcpResourcesTool, createReadMcpResourceTool } from '../../src/tools/mcpResources.js';
import { blocksOf } from '../../src/tools/support/mcp/mcpContent.js';
import { mcpToolName } from '../../src/tools/support/mcp/mcpNames.js';
import { mendedSchema } from '../../src/tools/support/mcp/mcpSchema.js';
import { oddServer, realServer } from '../helpers/mcp.js';
import { tempDir } from '../helpers/tempDir.js';
import { mcpBench } from '../mcp/bench.js';
import { toolContext } from './context.js';

const run = async (tool: Tool | undefined, input: object, cwd: string) => tool?.prepare(input, toolContext(cwd)).run();

test('a real server’s tools answer with text, images, resources and structured content', async () => {
  await using bench = await mcpBench();
  const server = bench.open(realServer('everything'));
  await server.settled;
  const { tools } = createMcpTools([server], { folder: bench.path, maxTokens: 25_000 });
  const call = async (name: string, input: object) =>
    (
      await run(
        tools.find((tool) => tool.name === `mcp__odd__${name}`),
        input,
        bench.path,
      )
    )?.content;
  expect(await call('echo', { message: 'hi' })).toBe('Echo: hi');
  expect(await call('get-tiny-image', {})).toEqual(
    expect.arrayContaining([{ type: 'image', source: expect.objectContaining({ media_type: 'image/png' }) }]),
  );
  expect(JSON.stringify(await call('get-resource-reference', { resourceType: 'Text', resourceId: 1 }))).toMatch(
    /Resource demo:/,
  );
  expect(JSON.stringify(await call('get-structured-content', { location: 'New York' }))).toMatch(/temperature/);
  expect(
    tools.filter(
      (tool) => toolProblem({ ...tool.schema, input_schema: { ...tool.schema.input_schema } }, 0) !== undefined,
    ),
  ).toEqual([]);
  expect(tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name).sort());
});

test('an error of a tool is an error, and one of the input names the tool', async () => {
  await using bench = await mcpBench();
  await writeFile(join(bench.path, 'a.txt'), 'x');
  const server = bench.open(realServer('filesystem', bench.path));
  await server.settled;
  const { tools } = createMcpTools([server], { folder: bench.path, maxTokens: 25_000 });
  const read = tools.find(({ name }) => name === 'mcp__odd__read_text_file');
  expect(await run(read, { path: '/etc/passwd' }, bench.path)).toMatchObject({
    isError: true,
    content: expect.stringMatching(/denied/),
  });
  expect(() => read?.prepare('a.txt', toolContext(bench.path))).toThrow(
    'The input of mcp__odd__read_text_file must be an object',
  );
  expect([read?.isReadOnly, tools.find(({ name }) => name === 'mcp__odd__write_file')?.isReadOnly]).toEqual([
    true,
    false,
  ]);
});

test('a server keeps what it was told between calls', async () => {
  await using bench = await mcpBench();
  const server = bench.open({
    type: 'stdio',
    ...realServer('memory'),
    env: { MEMORY_FILE_PATH: join(bench.path, 'memory.jsonl') },
  });
  await server.settled;
  const { tools } = createMcpTools([server], { folder: bench.path, maxTokens: 25_000 });
  const tool = (name: string) => tools.find((one) => one.name === `mcp__odd__${name}`);
  await run(
    tool('create_entities'),
    { entities: [{ name: 'red', entityType: 'team', observations: ['small'] }] },
    bench.path,
  );
  expect(JSON.stringify(await run(tool('search_nodes'), { query: 'red' }, bench.path))).toContain('small');
});

test('resources are listed and read; a server that is not there is told as such', async () => {
  await using bench = await mcpBench();
  const all = [bench.open(realServer('everything')), bench.open(oddServer()), bench.open(oddServer('exit=7'))];
  await Promise.all(all.map(({ settled }) => settled));
  const listed = await run(
    createListMcpResourcesTool(() => all, { folder: bench.path, maxTokens: 25_000 }),
    {},
    bench.path,
  );
  expect(listed?.content).toMatch(
    /^odd:\n- demo:.*\{resourceId\} \(template\).*\n\nodd2: no resources\n\nodd3: failed, it ended at once/s,
  );
  const [, uri = ''] = /^- (demo:\S+)/m.exec(String(listed?.content)) ?? [];
  const read = createReadMcpResourceTool(() => all, { folder: bench.path, maxTokens: 25_000 });
  expect(JSON.stringify(await run(read, { server: 'odd', uri }, bench.path))).toContain(uri);
  await expect(run(read, { server: 'oddd', uri }, bench.path)).rejects.toThrow(
    'There is no MCP server "oddd". Did you mean "odd"?',
  );
  expect(read.prepare({ server: 'odd', uri }, toolContext(bench.path)).access).toEqual({
    kind: 'other',
    specifier: 'odd',
    server: 'mcp__odd',
  });
});

test('resources are listed a line each, templates among them, whatever fails at another server, and a long list is bounded', async () => {
  await using bench = await mcpBench();
  const all = [oddServer('resources=2', 'templates'), oddServer('resources=none'), oddServer('resources=900')].map(
    (config) => bench.open(config),
  );
  await Promise.all(all.map(({ settled }) => settled));
  const list = createListMcpResourcesTool(() => all, { folder: join(bench.path, 'out'), maxTokens: 1000 });
  const { content } = (await run(list, {}, bench.path)) ?? {};
  const first = [
    'odd:',
    '- odd://1 · r1 · One of many.',
    '- odd://2 · r2 · One of many.',
    '- odd://{name} (template) · any',
  ];
  expect(content).toContain(
    `${first.join('\n')}\n\nodd2: The MCP server "odd2": out of order\n\nodd3:\n- odd://1 · r1`,
  );
  expect(String(content).length).toBeLessThan(4500);
  expect(content).toMatch(/All of it is in .*out\/.*\.txt/);
  const read = createReadMcpResourceTool(() => all, { folder: bench.path, maxTokens: 25_000 });
  expect(await run(read, { server: 'odd', uri: 'odd://7' }, bench.path)).toEqual({
    content: 'Resource odd://7: empty',
  });
});

test('what is too long is in a file as a whole; what cannot be shown is in a file too; a part of an unknown kind is shown as it is', async () => {
  await using dir = await tempDir();
  const place = { folder: join(dir.path, 'out'), name: 'call', maxTokens: 10 };
  const long = 'word '.repeat(100);
  const shown = await blocksOf({ content: [{ type: 'text', text: long }] }, place);
  expect(shown).toMatch(/All of it is in .*out\/call\.txt/);
  expect(await readFile(join(place.folder, 'call.txt'), 'utf8')).toBe(long);
  const audio = await blocksOf(
    { content: [{ type: 'audio', data: Buffer.from('la la').toString('base64'), mimeType: 'audio/wav' }] },
    { ...place, name: 'sound', maxTokens: 100 },
  );
  expect(audio).toBe(`[audio, audio/wav, 5 bytes: ${join(place.folder, 'sound.bin')}]`);
  expect(await readFile(join(place.folder, 'sound.bin'), 'utf8')).toBe('la la');
  expect(await blocksOf({ content: [{ type: 'dance', step: 1 }] }, place)).toBe('{"type":"dance","step":1}');
  const structured = { content: [{ type: 'text', text: '{ "a": 1 }' }], structuredContent: { a: 1 } };
  expect(await blocksOf(structured, place)).toBe('{ "a": 1 }');
});

test('names are what the API allows, and two long ones stay two', () => {
  expect(mcpToolName('git.hub', 'list issues')).toBe('mcp__git_hub__list_issues');
  const [a, b] = ['x', 'y'].map((end) => mcpToolName('server', `${'long'.repeat(30)}${end}`));
  expect(a).toMatch(/^[\w-]{64}$/);
  expect(a).not.toBe(b);
});

test('a schema that the API would refuse is mended, or it is said why it cannot be', () => {
  expect(mendedSchema('a', undefined)).toEqual({ schema: { type: 'object' } });
  expect(
    mendedSchema('a', {
      $schema: 'http://json-schema.org/draft-07/schema#',
      properties: {
        pair: { type: 'array', items: [{ type: 'string' }], additionalItems: false },
        items: { type: 'string' },
      },
      oneOf: [{ required: ['pair'] }],
    }),
  ).toEqual({
    schema: {
      type: 'object',
      properties: {
        pair: { type: 'array', prefixItems: [{ type: 'string' }], items: false },
        items: { type: 'string' },
      },
    },
  });
  expect(mendedSchema('a', { type: 'object', properties: { 'a b': {} } })).toEqual({
    problem: expect.stringMatching(/^input_schema\.properties: Property keys/),
  });
  expect(mendedSchema('a', 'text')).toEqual({ problem: 'its schema is no object' });
});

const named = (...names: readonly string[]) => names.map((name) => ({ name }));
const ALL = named('Read', 'mcp__a__x', 'mcp__a__y', 'mcp__b__x', 'mcp__ab__x');

test.each([
  [{ tools: ['Read', 'mcp__a'] }, ['Read', 'mcp__a__x', 'mcp__a__y']],
  [{ tools: ['mcp__a__*'] }, ['mcp__a__x', 'mcp__a__y']],
  [{ tools: ['mcp__a__y'] }, ['mcp__a__y']],
  [{ tools: ['mcp__*'] }, ['mcp__a__x', 'mcp__a__y', 'mcp__b__x', 'mcp__ab__x']],
  [{ tools: ['Read'] }, ['Read']],
  [{ disallowedTools: ['mcp__a'] }, ['Read', 'mcp__b__x', 'mcp__ab__x']],
  [{ disallowedTools: ['mcp__*'] }, ['Read']],
  [{ disallowedTools: ['mcp__a__x', 'mcp__b'] }, ['Read', 'mcp__a__y', 'mcp__ab__x']],
])('of the tools of servers an agent with %j has %j', (lists, has) => {
  expect(filterTools(ALL, { kind: 'sub-agent', ...lists }).map(({ name }) => name)).toEqual(has);
  expect(filterTools(ALL, { kind: 'sub-agent', isBackground: true, ...lists }).map(({ name }) => name)).toEqual(has);
});
