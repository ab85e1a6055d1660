import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemIds } from '../../src/host/ids.js';
import { CATALOGUE, useModels } from '../../src/model/catalogue.js';
import { readRunRecord } from '../../src/team/runRecord.js';
import { shutdownMember } from '../../src/team/shutdown.js';
import { eventually } from '../helpers/eventually.js';
import type { TeamOnDisk } from '../helpers/team.js';
import { ends, stage } from './stage.js';

const record = (team: TeamOnDisk) => readRunRecord(team.paths.runRecord('bob'));
const isIdle = (team: TeamOnDisk) => eventually(async () => expect((await record(team))?.state).toBe('idle'));

test('a member whose conversation fits no more says so to its lead, and its shutdown is not a matter of the model', async () => {
  const { team, start, backend } = await stage('agents: { bob: [{ reply: never }] }', {
    faults: [{ promptTooLong: true, every: 1 }],
  });
  await start({ prompt: 'begin', promptFrom: 'user' });
  await eventually(async () =>
    expect((await team.mail('team-lead')).map(({ payload }) => payload)).toMatchObject([
      {
        idleReason: 'failed',
        failureReason: expect.stringMatching(/could not be replaced by a summary: .*prompt is too long/),
      },
    ]),
  );
  const file = await team.file.require();
  const bob = file.members.find(({ name }) => name === 'bob');
  if (!bob) throw new Error('bob is not there');
  const deps = { place: team.place, home: team.home.root, backend, sender: { from: 'user' } };
  await shutdownMember(deps, file, bob, { graceMs: 50_000, force: false });
  expect(await record(team)).toMatchObject({ state: 'exited', exit: { code: 0, forced: false } });
});

const SUMMARY = `
agents:
  bob:
    - { when: { user: "Write that summary now" }, reply: They want a door. }
    - { when: { user: "^begin$" }, reply: never, fault: { promptTooLong: true } }
    - { reply: done }
`;

test('behind a summary a member knows its team, its open tasks and its plan from disk, and after a restart the summary', async () => {
  const { team, start, end, asked } = await stage(SUMMARY);
  const id = systemIds.uuid();
  await team.requests.create({ id, kind: 'plan', from: 'bob', plan: 'First the frame, then the door.' });
  await team.requests.answer({ id, by: 'user', approve: true });
  await team.tasks.create({ subject: 'Paint the door', description: '', owner: 'carol' });
  const { id: finished } = await team.tasks.create({ subject: 'Buy the wood', description: '' });
  await team.tasks.update(finished, { status: 'completed' });
  await team.join(team.member('carol'));
  await writeFile(join(team.cwd, 'CLAUDE.md'), 'Doors open inwards.');

  const lastMessages = async () => (await asked()).at(-1)?.body.messages ?? [];
  await start({ prompt: 'begin', promptFrom: 'user' });
  await isIdle(team);
  const [first, ...rest] = await lastMessages();
  const told = JSON.stringify(first);
  expect(rest).toEqual([]);
  for (const text of [
    'They want a door.',
    '- carol',
    'Paint the door',
    'First the frame',
    'approved by user',
    'Doors open inwards.',
  ])
    expect(told).toContain(text);
  expect(told).not.toContain('Buy the wood');
  expect(told).not.toContain('begin\\n');

  const { sessionId = '' } = (await team.file.require()).members.find(({ name }) => name === 'bob') ?? {};
  const lines = (await readFile(team.home.session(sessionId).transcript, 'utf8')).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { type: 'user' },
    {
      type: 'system',
      subtype: 'compact_boundary',
      compactMetadata: { trigger: 'prompt-too-long', preTokens: expect.any(Number) },
    },
    { type: 'assistant' },
  ]);
  const outputs = (await asked()).flatMap(({ reply }) => (reply.usage ? [reply.usage.output_tokens] : []));
  expect(outputs.length).toBe(2);
  expect(await record(team)).toMatchObject({
    turns: 1,
    tokens: { output: outputs.reduce((sum, tokens) => sum + tokens, 0) },
  });

  await end();
  await start({ prompt: 'go on', promptFrom: 'user', continues: true });
  await eventually(async () => expect(JSON.stringify((await lastMessages()).at(-1))).toContain('go on'));
  expect(JSON.stringify((await lastMessages())[0])).toContain('They want a door.');
});

test('a long conversation never meets the end of the window: it is summarised at 90 % of it, as often as that takes', async () => {
  const step = (n: number) =>
    `    - { when: { turn: ${n} }, reply: [{ text: ${`step ${n} `.repeat(1200)} }, { tool: TaskGet, input: { taskId: "${n}" } }] }`;
  const steps = Array.from({ length: 40 }, (_, n) => step(n + 1)).join('\n');
  const { team, start, asked } = await stage(
    `agents:\n  bob:\n    - { when: { user: "Write that summary now" }, reply: The steps so far. }\n${steps}\n    - { reply: done }`,
  );
  ends.unshift(async () => useModels(CATALOGUE));
  await writeFile(team.home.models, JSON.stringify({ models: [{ id: 'claude-opus-5-5', contextWindow: 30_000 }] }));
  await start({ prompt: 'begin', promptFrom: 'user' });
  await isIdle(team);
  const all = await asked();
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
  const summaries = all.filter(({ body }) => JSON.stringify(body.messages.at(-1)).includes('Write that summary now'));
  expect(summaries.length).toBeGreaterThan(2);
  for (const { reply } of summaries) {
    const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens } = reply.usage;
    expect(input_tokens + (cache_read_input_tokens ?? 0) + (cache_creation_input_tokens ?? 0)).toBeLessThan(30_000);
  }
  expect(await record(team)).toMatchObject({ state: 'idle' });
});
