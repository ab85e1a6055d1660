import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { eventually } from '../helpers/eventually.js';
import { live, resultOf, runJson } from '../helpers/headless.js';
import { stage } from '../helpers/program.js';

test('a model of one’s own in models.json has its alias and its prices, for a team and for the model server', async () => {
  await using team = await stage();
  await mkdir(team.home, { mode: 0o700 });
  const prices = { input: 100, output: 1000, cacheWrite5m: 100, cacheRead: 100 };
  await writeFile(
    join(team.home, 'models.json'),
    JSON.stringify({ models: [{ id: 'house/large', aliases: ['house'], prices }] }),
  );
  await using server = await live(team, ['model-server', '--json']);
  const { url } = await eventually(() => z.object({ url: z.string() }).parse(JSON.parse(server.stdout())));
  await using run = await live({ ...team, env: { ...team.env, ANTHROPIC_BASE_URL: url } }, [
    ...['run', '--output-format', 'json'],
    ...['--model', 'house', 'Hello.'],
  ]);
  const { modelUsage, total_cost_usd } = resultOf(await run.ended());
  const used = modelUsage['house/large'];
  const input = (used?.inputTokens ?? 0) + (used?.cacheReadInputTokens ?? 0) + (used?.cacheCreationInputTokens ?? 0);
  expect(Object.keys(modelUsage)).toEqual(['house/large']);
  expect(total_cost_usd).toBeCloseTo((input * 100 + (used?.outputTokens ?? 0) * 1000) / 1e6, 9);
});

test('a models.json that is wrong is named, and nothing is started', async () => {
  await using team = await stage();
  await mkdir(team.home, { mode: 0o700 });
  await writeFile(join(team.home, 'models.json'), '{"models": [{"id": "x", "price": 1}]}');
  const { exitCode, stderr } = await team.troupe(['run', 'Hello.']);
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain('models.json is not what it should be');
  expect(stderr).toContain('there is no field price');
  expect(team.server.log()).toEqual([]);
});

test('a limit of requests that is no number is refused before anything starts', async () => {
  await using team = await stage();
  const env = { ...team.env, TROUPE_MAX_CONCURRENT_REQUESTS: 'many' };
  const { exitCode, stderr } = await team.troupe(['run', 'Hello.'], { env });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: 'troupe: TROUPE_MAX_CONCURRENT_REQUESTS is "many": it must be a whole number from 1 on.',
  });
  expect(team.server.log()).toEqual([]);
});

test('a run leaves nothing taken behind', async () => {
  await using team = await stage();
  expect((await runJson(team, 'Hello.')).exitCode).toBe(0);
  expect(await readdir(join(team.home, 'traffic'))).toEqual([]);
});

test('with --fallback-model a team goes on while its own model is overloaded', async () => {
  await using team = await stage(
    "agents: { team-lead: [{ when: { model: sonnet }, fault: { status: 529, times: 100 }, reply: no }, { reply: 'Here.' }] }",
  );
  const { exitCode, result } = await runJson(team, 'Hello.', '--fallback-model', 'haiku');
  expect({ exitCode, result: result.result, models: Object.keys(result.modelUsage) }).toEqual({
    exitCode: 0,
    result: 'Here.',
    models: ['claude-haiku-5-5'],
  });
  expect(team.server.log().map(({ status }) => status)).toEqual([529, 529, 529, 200]);
});
