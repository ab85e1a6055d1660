import { expect, test } from 'vitest';
import type { TurnEnd } from '../../src/agent/events.js';
import { type AgentRun, runAgent } from '../../src/agent/runAgent.js';
import { bench, type Reply, shortOf, tool } from './harness.js';

function agentOf(replies: readonly Reply[], given: Partial<AgentRun> = {}, tools = [tool('Echo', async () => 'echo')]) {
  const { deps, client, history } = bench(replies, tools);
  const { turnsLeft: _, ...rest } = deps;
  const undone: string[] = [];
  const cleanup = (name: string) => async () => void undone.push(name);
  const run: AgentRun = {
    ...rest,
    history,
    turnSignal: () => new AbortController().signal,
    cleanups: [cleanup('first'), cleanup('second')],
    ...given,
  };
  return { agent: runAgent(run), undone, client, cleanup };
}

async function ended(agent: AsyncGenerator<unknown, TurnEnd>): Promise<TurnEnd> {
  for (;;) {
    const { done, value } = await agent.next();
    if (done) return value;
  }
}

const prompt = [{ type: 'text' as const, text: 'go' }];

test('an agent without a next turn is done after its first, and what it used is undone in reverse order', async () => {
  const { agent, undone } = agentOf([{ text: 'ok' }], { prompt });
  expect(await ended(agent)).toEqual({ reason: 'done', text: 'ok' });
  expect(undone).toEqual(['second', 'first']);
});

test('what an agent is told once goes before its first prompt, and is not said again', async () => {
  const prompts = [prompt, [{ type: 'text' as const, text: 'next' }]];
  const { agent, client } = agentOf([{ text: 'one' }, { text: 'two' }], {
    opening: [{ type: 'text', text: 'know this' }],
    next: async () => prompts.shift(),
  });
  await ended(agent);
  expect(client.requests.map(({ messages }) => shortOf(messages.at(-1)))).toEqual([['know this', 'go'], ['next']]);
});

test('turns follow as long as there is a next one, also behind a failure and an interrupt', async () => {
  const ends: string[] = [];
  let turn = new AbortController();
  const { agent } = agentOf([{ fails: new Error('down') }, { hangs: true }, { text: 'fine' }], {
    turnSignal: () => {
      turn = new AbortController();
      if (ends.length === 1) setImmediate(() => turn.abort());
      return turn.signal;
    },
    async next(end) {
      if (end) ends.push(end.reason);
      return ends.length < 3 ? prompt : undefined;
    },
  });
  expect(await ended(agent)).toEqual({ reason: 'done', text: 'fine' });
  expect(ends).toEqual(['failed', 'aborted', 'done']);
});

test('maxTurns counts the responses of all turns together', async () => {
  const { agent, client } = agentOf([{ calls: ['Echo'] }, { text: 'one' }, { calls: ['Echo'] }, { text: 'never' }], {
    maxTurns: 3,
    next: async (end) => (end?.reason === 'max-turns' ? undefined : prompt),
  });
  expect(await ended(agent)).toMatchObject({ reason: 'max-turns' });
  expect(client.requests.length).toBe(3);
});

test('a transcript that cannot be written ends the agent, and what it used is undone all the same', async () => {
  const { agent, undone } = agentOf([], {
    prompt,
    transcript: { append: () => Promise.reject(new Error('no space left')), restart: async () => {} },
  });
  await expect(ended(agent)).rejects.toThrow('no space left');
  expect(undone).toEqual(['second', 'first']);
});

test('an agent that nobody listens to any more closes its request and cleans up', async () => {
  const { agent, undone } = agentOf([{ text: 'long' }], { prompt });
  for (;;) {
    const { value } = await agent.next();
    if ('type' in value && value.type === 'text') break;
  }
  await agent.return({ reason: 'aborted', text: '' });
  expect(undone).toEqual(['second', 'first']);
});

test('the request of an agent that is left is closed with it', async () => {
  let closed = false;
  const { agent } = agentOf([], {
    prompt,
    client: {
      async *stream() {
        try {
          yield { type: 'text', text: 'a' };
          throw new Error('unreachable');
        } finally {
          closed = true;
        }
      },
    },
  });
  await agent.next();
  await agent.next();
  await agent.return({ reason: 'aborted', text: '' });
  expect(closed).toBe(true);
});

test('a cleanup that fails does not keep the others from running, and is told', async () => {
  const undone: string[] = [];
  const { agent } = agentOf([], {
    prompt,
    cleanups: [
      async () => void undone.push('first'),
      () => Promise.reject(new Error('stuck')),
      () => void undone.push('last'),
    ],
  });
  await expect(ended(agent)).rejects.toThrow('Cleaning up after an agent failed: stuck');
  expect(undone).toEqual(['last', 'first']);
});
