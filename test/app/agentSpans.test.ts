import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AgentEvent } from '../../src/agent/events.js';
import { followAgent } from '../../src/app/telemetry/agentSpans.js';
import { modelWord, toolWord, typeWord } from '../../src/app/telemetry/words.js';
import type { TelemetryEvent } from '../../src/telemetry/event.js';
import { fileSink, type Sink } from '../../src/telemetry/sink.js';
import { openSpan } from '../../src/telemetry/spans.js';
import { fakeClock } from '../helpers/fakeClock.js';
import { tempDir } from '../helpers/tempDir.js';

function followed() {
  const told: TelemetryEvent[] = [];
  const sink: Sink = { tell: (event) => void told.push(event), close: async () => {} };
  const clock = fakeClock();
  let ids = 0;
  const span = openSpan({ clock, sink, newId: () => `id${++ids}` }, { traceId: 't', spanId: 'id0' }, 'member');
  const agent = followAgent(span);
  return { told, clock, agent, feed: (event: unknown) => agent.event(event as AgentEvent) };
}

const CALL = { type: 'tool_use', id: 'toolu_1', name: 'mcp__mine__look', input: {} };

test('a turn is inside of its agent and a tool inside of its turn; what was open when the turn ended ends with it', async () => {
  const { told, clock, feed } = followed();
  feed({ type: 'prompt', message: { content: 'Go.' } });
  await clock.pass(5);
  feed({ type: 'tool_started', call: CALL });
  feed({ type: 'tool_started', call: { ...CALL, id: 'toolu_2', name: 'Bash' } });
  feed({ type: 'tool_denied', call: CALL, because: 'no' });
  feed({ type: 'results', message: { content: [{ type: 'tool_result', tool_use_id: 'toolu_1', is_error: true }] } });
  feed({ type: 'turn_ended', end: { reason: 'aborted', text: '' } });
  expect(told).toMatchObject([
    { kind: 'tool', parentId: 'id1', ok: false, attributes: { tool: 'mcp', denied: true } },
    { kind: 'tool', parentId: 'id1', ok: false, attributes: { tool: 'Bash' } },
    { kind: 'turn', spanId: 'id1', parentId: 'id0', ok: false, attributes: { end: 'aborted' } },
  ]);
  const [first] = told;
  expect(first?.event === 'span' && first.startedAt).toBe(clock.now());
});

test('a compaction is told in its turn, with how much there was before', () => {
  const { told, feed } = followed();
  feed({ type: 'prompt', message: { content: 'Go.' } });
  feed({ type: 'compacted', trigger: 'auto', preTokens: 900 });
  expect(told).toMatchObject([{ spanId: 'id1', about: { name: 'compaction', trigger: 'auto', tokensBefore: 900 } }]);
});

test('what an agent came to is sums, and not a word of it', () => {
  const { agent, feed } = followed();
  feed({ type: 'prompt', message: { content: [{ type: 'text', text: 'Look.' }] } });
  const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 };
  feed({ type: 'assistant', message: { content: [{ type: 'text', text: 'Found.' }] }, usage });
  expect(agent.complete('Explore', 'completed', 12)).toEqual({
    ...{ name: 'agent_completed', type: 'Explore', status: 'completed', ms: 12 },
    ...{ promptCharacters: 5, responseCharacters: 6, messages: 2, toolUses: 0, tokens: 10 },
  });
});

test('only names of the program’s own are told', () => {
  expect([typeWord('Explore'), typeWord('my-secret-agent'), typeWord('Explore', false)]).toEqual([
    'Explore',
    'custom',
    'custom',
  ]);
  expect(['Bash', 'mcp__secret__x', 'secret'].map(toolWord)).toEqual(['Bash', 'mcp', 'other']);
  expect(['claude-haiku-5-5', 'house/secret', 'claude-secret-1'].map(modelWord)).toEqual([
    'claude-haiku-5-5',
    'custom',
    'custom',
  ]);
});

test('events are lines of a file a day, for the user’s eyes alone', async () => {
  await using dir = await tempDir();
  const clock = fakeClock(Date.UTC(2030, 0, 1, 23, 59, 59));
  const folder = join(dir.path, 'telemetry');
  const sink = fileSink(folder, clock);
  const event = {
    event: 'happening',
    at: 1,
    traceId: 't',
    spanId: 's',
    about: { name: 'auto_mode_decision', decision: 'denied' },
  } as const;
  sink.tell(event);
  await clock.pass(1000);
  sink.tell(event);
  await sink.close();
  expect((await readdir(folder)).sort()).toEqual(['2030-01-01.jsonl', '2030-01-02.jsonl']);
  expect(await readFile(join(folder, '2030-01-01.jsonl'), 'utf8')).toBe(`${JSON.stringify(event)}\n`);
  expect([(await stat(folder)).mode & 0o777, (await stat(join(folder, '2030-01-01.jsonl'))).mode & 0o777]).toEqual([
    0o700, 0o600,
  ]);
});
