import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { systemClock } from '../../src/host/clock.js';
import { loadScript } from '../../src/modelServer/script/script.js';
import { startModelServer } from '../../src/modelServer/server.js';
import { tempDir } from '../helpers/tempDir.js';
import { countingIds, from } from './helpers.js';

const EXAMPLES = fileURLToPath(new URL('../../templates/scripts/', import.meta.url));
const Message = z.object({ content: z.unknown() });

/** A server that plays a module, and what it answers to one agent. */
async function playing(path: string) {
  const server = await startModelServer({ clock: systemClock, ids: countingIds(), script: await loadScript(path) });
  const ask = async (...turns: unknown[]) => {
    const response = await fetch(`${server.url}/v1/messages`, {
      method: 'POST',
      body: JSON.stringify(from('troupe:red:team-lead', ...turns)),
      headers: { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' },
    });
    return response.ok ? Message.parse(await response.json()).content : response.status;
  };
  return { ask, log: server.log, [Symbol.asyncDispose]: () => server.close() };
}

async function written(dir: string, text: string, name = 's.ts'): Promise<string> {
  const path = join(dir, name);
  await writeFile(path, text);
  return path;
}

test('a TypeScript module answers with what its functions return', async () => {
  await using server = await playing(join(EXAMPLES, 'hello.ts'));
  const prompt = 'Say hello to Ada and Grace.';
  expect(await server.ask(prompt)).toBe(529);
  const calls = await server.ask(prompt);
  expect(calls).toMatchObject([
    { type: 'text', text: 'I greet Ada and Grace.' },
    { type: 'tool_use', name: 'Bash', input: { command: 'echo "Hello, Ada!"' } },
    { type: 'tool_use', name: 'Bash', input: { command: 'echo "Hello, Grace!"' } },
  ]);
  const ids = z.array(z.object({ id: z.optional(z.string()) })).parse(calls);
  const results = ids.flatMap(({ id }, index) =>
    id === undefined
      ? []
      : [{ type: 'tool_result', tool_use_id: id, content: index === 1 ? 'Hello, Ada!' : 'Hello, Grace!' }],
  );
  expect(await server.ask(prompt, calls, results)).toMatchObject([{ text: 'Hello, Ada!\nHello, Grace!' }]);
  expect(server.log().map(({ rule }) => rule)).toEqual(['greet', 'greet', 'report']);
});

test('a module finds what lies beside it, and nothing is left there', async () => {
  await using dir = await tempDir();
  await written(dir.path, 'export const word = "beside";', 'words.mjs');
  const path = await written(
    dir.path,
    `import { word } from './words.mjs';
     enum Place { First }
     export const agents: Record<string, unknown[]> = { '*': [{ reply: () => word + Place.First }] };`,
  );
  await using server = await playing(path);
  expect(await server.ask('x')).toMatchObject([{ text: 'beside0' }]);
  expect((await readdir(dir.path)).sort()).toEqual(['s.ts', 'words.mjs']);
});

test('a JavaScript module is a script too, and its functions see turn, captures and results', async () => {
  await using dir = await tempDir();
  const path = await written(
    dir.path,
    `export const agents = { '*': [
       { when: { test: ({ turn }) => turn > 1 }, reply: ({ values }) => [{ text: 'again ' + values.get('word') }] },
       { capture: { word: { from: 'user', match: 'say (.*)' } }, reply: ({ values, user, offers }) => values.get('word') + user.length + offers.has('Grep') },
     ] };`,
    's.mjs',
  );
  await using server = await playing(path);
  expect(await server.ask('say it')).toMatchObject([{ text: 'it6true' }]);
  expect(await server.ask('x')).toMatchObject([{ text: 'again it' }]);
});

test.each([
  [
    'export const agents = {\n  a: [{ name: "look", rpely: "x" }],\n};',
    /s\.ts:2: a, rule 1 \(look\), rpely: there is no such field$/,
  ],
  [
    'export const agents = {\n  a: [\n    { reply: 3 },\n  ],\n};',
    /s\.ts:2: a, rule 1, reply: Input should be of another type$/,
  ],
  ['\nexport const agent = {};', /s\.ts:1: a script module exports `agents`$/],
  ['\n\nexport const agents = {;', /s\.ts:3: .+/],
  ['\nthrow new Error("not today");', /s\.ts:2: not today$/],
  ['\n\nnull.x;', /s\.ts:3: Cannot read properties of null/],
])('the module %j is refused with file, line and rule', async (text, words) => {
  await using dir = await tempDir();
  const path = await written(dir.path, text);
  await expect(loadScript(path)).rejects.toThrow(
    expect.objectContaining({ name: 'UserError', message: expect.stringMatching(words) }),
  );
  expect(await readdir(dir.path)).toEqual(['s.ts']);
});

test.each([
  ['() => { throw new Error("oh"); }', 'its code throws: oh'],
  ['() => 3', 'what reply returned is no answer: Input should be of another type'],
  ['() => [{ toool: "Read" }]', 'what reply returned is no answer: 0: toool: Extra inputs are not permitted'],
])('code that cannot answer (%s) is said aloud and logged', async (code, words) => {
  await using dir = await tempDir();
  const path = await written(dir.path, `export const agents = { '*': [{ name: 'r', reply: ${code} }] };`);
  await using server = await playing(path);
  const problem = `rule "r" of team-lead: ${words} (${path})`;
  expect(await server.ask('x')).toMatchObject([{ text: `[model server] ${problem}` }]);
  expect(server.log()).toMatchObject([{ rule: 'r', problem }]);
});
