import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createHookAsker } from '../../src/app/hooks/hookAsker.js';
import { HooksByEvent } from '../../src/definitions/hook.js';
import { resolveModel } from '../../src/model/catalogue.js';
import { parseRule } from '../../src/permissions/rule.js';
import { fakeModel, type Reply } from '../agent/harness.js';
import { hookBench } from './hookBench.js';

async function asking(type: 'prompt' | 'agent', replies: readonly Reply[], more: object = {}) {
  const events = HooksByEvent.parse({ Stop: [{ hooks: [{ type, prompt: 'Is it done? $ARGUMENTS', ...more }] }] });
  const client = fakeModel(replies);
  const spent: number[] = [];
  const bench = await hookBench(events, 'teammate', ({ world, launch }) =>
    createHookAsker({
      world,
      launch: { ...launch, environment: { API_KEY: 'hunter2-hunter2' } },
      client,
      context: () => ({
        mode: 'bypassPermissions',
        rules: { allow: [], ask: [], deny: [parseRule('Read(.env)')] },
        cwd: launch.cwd,
        folders: [launch.cwd],
        protectedRoots: [],
        allowedPaths: [],
        home: '/nobody',
      }),
      spent: async ({ costUsd }) => void spent.push(costUsd),
    }),
  );
  const stop = (text: string) =>
    bench.hooks.fire(bench.hooks.main(), { event: 'Stop', fields: { last_assistant_message: text } });
  return { bench, client, spent, stop, [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose]() };
}

test('a hook of the type prompt asks the small model, which has no tools and is told no secret', async () => {
  await using here = await asking('prompt', [{ text: '{"ok": false, "reason": "The tests were not run."}' }]);
  expect(await here.stop('All hunter2-hunter2.')).toMatchObject({ block: 'The tests were not run.' });
  const [request, ...more] = here.client.requests;
  expect(more).toEqual([]);
  expect(request).toMatchObject({ model: resolveModel('haiku'), tools: [], userId: 'troupe:red:bob/hook' });
  const said = JSON.stringify(request?.messages);
  expect(said).toMatch(/Is it done\? .*last_assistant_message.*All \[API_KEY\]\./);
  expect(here.spent).toEqual([0.5]);
});

test('a hook may name another model, and what is fine is no answer', async () => {
  await using here = await asking('prompt', [{ text: '{"ok": true}' }], { model: 'sonnet' });
  expect(await here.stop('Done.')).toMatchObject({ block: undefined, permission: undefined, notes: [] });
  expect(here.client.requests[0]?.model).toBe(resolveModel('sonnet'));
});

test('a hook of the type agent reads what the member may read, and keeps its conversation', async () => {
  const reading = (file: string) => ({ name: 'Read', input: { file_path: file } });
  await using here = await asking('agent', [
    { calls: [reading('notes'), reading('.env'), reading('/etc/hostname')] },
    { text: 'Two tasks are open.\n{"ok": false, "reason": "Two tasks are open."}' },
  ]);
  const { dir, world } = here.bench;
  await writeFile(join(dir, 'notes'), 'two are open');
  await writeFile(join(dir, '.env'), 'KEY=1');
  expect(await here.stop('Done.')).toMatchObject({ block: 'Two tasks are open.' });
  const results = JSON.stringify(here.client.requests[1]?.messages.at(-1));
  expect(results).toContain('two are open');
  expect(results).not.toContain('KEY=1');
  expect(results).toContain('nobody is asked');
  expect(here.client.requests[0]?.tools.map(({ name }) => name)).toEqual(['Read', 'Glob', 'Grep']);
  const { agents } = world.home.session('session');
  const [kept = ''] = await readdir(agents);
  expect(await readFile(join(agents, kept), 'utf8')).toContain('Two tasks are open.');
});

test.each([
  ['an answer that is none', { text: 'Yes.' }, /no answer that counts/],
  ['a model that fails', { fails: new Error('out of order') }, /out of order/],
])('%s blocks nothing and is a line', async (_, reply, line) => {
  await using here = await asking('prompt', [reply]);
  expect(await here.stop('Done.')).toMatchObject({ block: undefined });
  expect(here.bench.notes).toEqual([expect.stringMatching(/^The Stop hook Is it done\? .* broke: /)]);
  expect(here.bench.notes[0]).toMatch(line);
});

test('without a model to ask such a hook breaks, and blocks nothing', async () => {
  const events = HooksByEvent.parse({ Stop: [{ hooks: [{ type: 'prompt', prompt: 'Is it done?' }] }] });
  await using bench = await hookBench(events);
  expect(await bench.hooks.fire(bench.hooks.main(), { event: 'Stop' })).toMatchObject({ block: undefined });
  expect(bench.notes[0]).toContain('there is no model to ask here');
});
