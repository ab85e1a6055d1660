import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { forkConversation } from '../../src/agent/fork.js';
import { type AgentRun, runAgent } from '../../src/agent/runAgent.js';
import { transcriptPort } from '../../src/app/session/transcriptPort.js';
import { systemClock } from '../../src/host/clock.js';
import { systemIds } from '../../src/host/ids.js';
import type { MessageParam } from '../../src/model/types.js';
import { historyOf, INTERRUPTED } from '../../src/transcript/resume.js';
import { openTranscript } from '../../src/transcript/transcript.js';
import { bench, type Reply, shortOf, tool } from '../agent/harness.js';
import { tempDir } from '../helpers/tempDir.js';

const sidechain = (path: string) =>
  openTranscript(path, { sessionId: 's', agentId: 'agent-1', clock: systemClock, ids: systemIds });
const asked = (text: string) => [{ type: 'text' as const, text }];

/** An agent whose sidechain is on disk, with tools whose effects are counted; `Hang` never ends. */
function agentAt(path: string, replies: readonly Reply[], ran: string[], given: Partial<AgentRun> = {}) {
  const tools = [
    tool('Work', async ({ toolUseId }) => `${ran.push(toolUseId)} done`),
    tool('Hang', ({ toolUseId }) => {
      ran.push(toolUseId);
      return new Promise<string>(() => {});
    }),
  ];
  const { deps, client, history } = bench(replies, tools);
  const { turnsLeft: _, ...rest } = deps;
  const transcript = sidechain(path);
  const run: AgentRun = {
    ...rest,
    history,
    turnSignal: () => new AbortController().signal,
    cleanups: [() => transcript.close()],
    transcript: transcriptPort(transcript, given.history),
    ...given,
  };
  return { agent: runAgent(run), client, transcript };
}

async function toItsEnd(agent: ReturnType<typeof runAgent>) {
  for (;;) {
    const { done, value } = await agent.next();
    if (done) return value;
  }
}

/** Leaves an agent in the middle of a call, as a killed process does: nothing is undone. */
async function untilItHangs({ agent }: ReturnType<typeof agentAt>) {
  for (;;) {
    const { value } = await agent.next();
    if ('type' in value && value.type === 'tool_started' && value.call.name === 'Hang') break;
  }
  const running = agent.next();
  running.catch(() => {});
  await new Promise((resolve) => setImmediate(resolve));
}

test('an agent that was killed in the middle of a turn goes on from its sidechain; no call that had a result is run again', async () => {
  await using dir = await tempDir();
  const before = join(dir.path, 'before.jsonl');
  const after = join(dir.path, 'after.jsonl');
  const ran: string[] = [];
  const killed = agentAt(before, [{ calls: ['Work'] }, { calls: ['Work', 'Hang'] }], ran, { prompt: asked('do it') });
  await untilItHangs(killed);
  expect(ran.length).toBe(3);
  // What a crash leaves.
  await copyFile(before, after);
  await killed.transcript.close();

  const { entries } = await sidechain(after).load();
  const resumed = agentAt(after, [{ text: 'whole' }], ran, { history: historyOf(entries), prompt: asked('go on') });
  expect(await toItsEnd(resumed.agent)).toEqual({ reason: 'done', text: 'whole' });
  expect(ran.length).toBe(3);
  expect(resumed.client.requests[0]?.messages.map(shortOf)).toEqual([
    ['do it'],
    ['tool_use'],
    ['result: 1 done'],
    ['tool_use', 'tool_use'],
    [`error: ${INTERRUPTED}`, `error: ${INTERRUPTED}`],
    ['go on'],
  ]);
});

const PARENT: MessageParam[] = [
  { role: 'user', content: asked('the whole task') },
  { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_f', name: 'Work', input: {} }] },
];

test('a fork goes on from its sidechain alone: its parent’s conversation is in there', async () => {
  await using dir = await tempDir();
  const path = join(dir.path, 'fork.jsonl');
  const first = agentAt(path, [{ text: 'Scope: half' }], [], forkConversation(PARENT, 'Do your part.'));
  await toItsEnd(first.agent);
  const { entries } = await sidechain(path).load();
  expect(entries.map(({ type, subtype }) => [type, subtype])).toEqual([
    ['system', 'inherited'],
    ['user', undefined],
    ['assistant', undefined],
  ]);
  expect(historyOf(entries)).toEqual([
    ...(first.client.requests[0]?.messages ?? []),
    { role: 'assistant', content: [expect.objectContaining({ text: 'Scope: half' })] },
  ]);
});
