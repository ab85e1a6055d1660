import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { heardBy, linesOf } from '../helpers/headless.js';
import { type Stage, stage } from '../helpers/program.js';

const stream = (s: Stage, ...args: string[]) =>
  s.troupe(['run', '--output-format', 'stream-json', '--permission-mode', 'bypassPermissions', ...args], {
    timeout: 100_000,
  });

const Answer = z.object({
  usage: z.looseObject({
    input_tokens: z.number(),
    output_tokens: z.number(),
    cache_read_input_tokens: z.number(),
    cache_creation_input_tokens: z.number(),
  }),
});
/** What the answers cost that an agent got, or all of them. */
const usagesOf = ({ server }: Stage, agent = '') =>
  server
    .log()
    .filter(({ status, userId }) => status === 200 && userId.includes(agent))
    .map(({ reply }) => Answer.parse(reply).usage);

const SUMMARY = `
agents:
  team-lead:
    - { when: { user: "Write that summary now" }, reply: They want a door. }
    - { when: { user: "build a door" }, reply: never, fault: { promptTooLong: true } }
    - { reply: The door is done. }
`;

test('a run whose conversation fits no more goes on from a summary, says so in its stream, and counts what it cost', async () => {
  await using s = await stage(SUMMARY);
  const ended = await stream(s, 'build a door');
  const lines = linesOf(ended);
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(lines.filter(({ subtype }) => subtype === 'compact_boundary')).toEqual([
    {
      type: 'system',
      subtype: 'compact_boundary',
      compact_metadata: { trigger: 'prompt-too-long', pre_tokens: expect.any(Number) },
      session_id: expect.any(String),
    },
  ]);
  const outputs = usagesOf(s).map(({ output_tokens }) => output_tokens);
  expect(outputs.length).toBe(2);
  expect(lines.at(-1)).toMatchObject({
    result: 'The door is done.',
    num_turns: 1,
    usage: { output_tokens: outputs.reduce((sum, tokens) => sum + tokens, 0) },
  });
  expect(heardBy(s, 'team-lead').at(-1)).toContain('They want a door.');
});

const CALLS = Array.from(
  { length: 8 },
  (_, n) => `{ tool: Agent, input: { description: part ${n}, prompt: Look at part ${n}., subagent_type: fork } }`,
).join(', ');
const FORKS = `
agents:
  team-lead:
    - { when: { user: "part by part" }, once: true, reply: [{ text: ${'a long story '.repeat(8000)} }, { tool: TaskList, input: {} }] }
    - { when: { tool: TaskList }, once: true, reply: [{ text: I fork. }, ${CALLS}] }
    - { reply: All parts are looked at. }
  team-lead/*:
    - { reply: "Scope: one part." }
`;

test('eight forks of a lead read its long conversation from the cache, and each reports once', async () => {
  await using s = await stage(FORKS);
  const ended = await stream(s, 'part by part');
  expect(ended.exitCode, ended.stderr).toBe(0);
  const forks = usagesOf(s, '/agent-');
  expect(forks.length).toBe(8);
  for (const { input_tokens, cache_read_input_tokens: read, cache_creation_input_tokens } of forks) {
    expect(read).toBeGreaterThan(25_000);
    expect(read / (read + input_tokens + cache_creation_input_tokens)).toBeGreaterThan(0.95);
  }
  const told = heardBy(s, 'team-lead').findLast((body) => !body.includes('<fork-directive>')) ?? '';
  expect(told.split('Scope: one part.').length - 1).toBe(8);
});

const CIRCLE = `
agents:
  team-lead:
    - { reply: [{ text: Once more. }, { tool: Bash, input: { command: "true" } }] }
`;

test('a lead that goes round in circles is told, then stopped, and the run says why', async () => {
  await using s = await stage(CIRCLE);
  const ended = await stream(s, 'go');
  expect(ended.exitCode, ended.stderr).toBe(1);
  expect(linesOf(ended).at(-1)).toMatchObject({
    subtype: 'error_during_execution',
    result: 'Once more.',
    errors: [expect.stringMatching(/goes round in circles: Bash/)],
  });
  expect(heardBy(s, 'team-lead').length).toBe(7);
});
