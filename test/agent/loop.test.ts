import { expect, test } from 'vitest';
import { ModelError } from '../../src/model/types.js';
import { problemIn } from '../../src/modelServer/check/check.js';
import { bench, MODEL, onAbort, tool } from './harness.js';

const echo = tool('Echo', async () => 'echo');

test('a turn goes on until the model asks for no more tools, and its last text is what it ends with', async () => {
  const agent = bench([{ text: 'I look.', calls: ['Echo'] }, { text: 'That is it.' }], [echo]);
  expect(await agent.run()).toEqual({ reason: 'done', text: 'That is it.' });
  expect(agent.told(1)).toEqual(['result: echo']);
  expect(agent.transcript.map(({ type }) => type)).toEqual(['user', 'assistant', 'user', 'assistant']);
  expect(agent.events.map(({ type }) => type)).toEqual([
    'prompt',
    'text',
    'assistant',
    'tool_started',
    'results',
    'text',
    'assistant',
  ]);
});

test('a reminder ends every user message, those with results and continuations too', async () => {
  const agent = bench([{ calls: ['Echo'] }, { text: 'cut', stop: 'max_tokens' }], [echo], {
    reminder: 'Change nothing.',
  });
  agent.say('mail');
  await agent.run('go');
  const reminder = '<system-reminder>\nChange nothing.\n</system-reminder>';
  expect([0, 1, 2].map((request) => agent.told(request))).toEqual([
    ['go', 'mail', reminder],
    ['result: echo', reminder],
    [expect.stringMatching(/cut off/), reminder],
  ]);
});

test('every request carries the effort and the thinking of its agent, and is published before it is sent', async () => {
  const published: object[] = [];
  const agent = bench([{ calls: ['Echo'] }], [echo], {
    effort: 'low',
    thinking: 'off',
    publish: ({ messages, ...request }) => void published.push({ ...request, length: messages.length }),
  });
  await agent.run();
  expect(agent.client.requests).toMatchObject([
    { effort: 'low', thinking: 'off' },
    { effort: 'low', thinking: 'off' },
  ]);
  expect(published).toEqual(
    agent.client.requests.map(({ messages, ...request }) => ({ ...request, length: messages.length })),
  );
});

test('what arrives while tools run comes behind the last result: shutdown, then the lead, then others', async () => {
  const agent = bench(
    [{ calls: ['Wait', 'Echo'] }],
    [
      echo,
      tool('Wait', async () => {
        agent.say('from carol');
        agent.say('from the lead', 'lead');
        agent.say('shut down', 'shutdown');
        agent.say('from dave');
        return 'waited';
      }),
    ],
  );
  await agent.run();
  expect(agent.told(1)).toEqual([
    'result: waited',
    'result: echo',
    'shut down',
    'from the lead',
    'from carol',
    'from dave',
  ]);
});

test('mail counts as delivered once the transcript has the message that carries it', async () => {
  const agent = bench([]);
  const order: string[] = [];
  const { append } = agent.deps.transcript;
  agent.say('hello');
  const deps = {
    ...agent.deps,
    transcript: { append: async (...given: Parameters<typeof append>) => void order.push(`kept ${given[2]}`) },
    delivered: async () => void order.push('delivered'),
  };
  Object.assign(agent.deps, deps);
  await agent.run();
  expect(order.slice(0, 2)).toEqual(['kept id of hello', 'delivered']);
});

test('an answer cut by the output limit is taken up again three times, and a call that was cut never runs', async () => {
  let runs = 0;
  const counted = tool('Count', async () => `${++runs}`);
  const cut = { text: 'part ', calls: ['Count'], stop: 'max_tokens' } as const;
  const enough = bench([cut, cut, cut, { text: 'end' }], [counted]);
  expect(await enough.run()).toEqual({ reason: 'done', text: 'part part part end' });
  const endless = bench([cut, cut, cut, cut, { text: 'never' }], [counted]);
  expect(await endless.run()).toMatchObject({ reason: 'failed', error: { message: /output limit/ } });
  expect(endless.client.requests.length).toBe(4);
  expect(runs).toBe(0);
});

test.each(['refusal', 'model_context_window_exceeded'] as const)(
  'a turn that stops with %s has failed, says so, and its half call is not run',
  async (stop) => {
    let runs = 0;
    const agent = bench([{ text: 'no', calls: ['Count'], stop }], [tool('Count', async () => `${++runs}`)]);
    expect(await agent.run()).toMatchObject({ reason: 'failed', error: expect.any(ModelError) });
    expect(runs).toBe(0);
    expect(await agent.run('again')).toMatchObject({ reason: 'done' });
  },
);

test('a paused answer is sent back as it is', async () => {
  const agent = bench([{ text: 'searching', stop: 'pause_turn' }, { text: 'found' }]);
  expect(await agent.run()).toMatchObject({ reason: 'done' });
  expect(agent.told(1)).toEqual(['searching']);
});

test('no more responses than are allowed: the turn ends with what it has', async () => {
  let left = 2;
  const agent = bench(
    [
      { text: 'one', calls: ['Echo'] },
      { text: 'two', calls: ['Echo'] },
    ],
    [echo],
    {
      turnsLeft: () => left--,
    },
  );
  expect(await agent.run()).toEqual({ reason: 'max-turns', text: 'two' });
  expect(agent.client.requests.length).toBe(2);
});

test('a failing model ends the turn and not the agent: the next turn is asked with the whole history', async () => {
  const agent = bench([{ fails: new ModelError('unavailable', 'overloaded', 529) }, { text: 'back' }]);
  expect(await agent.run('first')).toMatchObject({ reason: 'failed', error: { message: 'overloaded' } });
  expect(await agent.run('second')).toEqual({ reason: 'done', text: 'back' });
  expect(agent.client.requests[1]?.messages.map(({ role }) => role)).toEqual(['user', 'user']);
});

test('an interrupt in the middle of an answer ends the turn and keeps the history', async () => {
  const agent = bench([{ text: 'x', calls: ['Echo'] }, { hangs: true }, { text: 'on' }], [echo]);
  const running = agent.run('first');
  await expect.poll(() => agent.client.requests.length).toBe(2);
  agent.turn.abort();
  expect(await running).toEqual({ reason: 'aborted', text: 'x' });
  expect(await agent.run('second', new AbortController().signal)).toEqual({ reason: 'done', text: 'on' });
});

test('an interrupt in the middle of a batch: what ran is answered, what did not is answered as not run', async () => {
  const agent = bench(
    [{ calls: ['Hang', 'Echo'] }, { text: 'on' }],
    [echo, tool('Hang', ({ signal }) => new Promise((_, reject) => onAbort(signal, () => reject(signal.reason))))],
  );
  const running = agent.run();
  await expect.poll(() => agent.events.at(-1)?.type).toBe('tool_started');
  agent.turn.abort();
  expect(await running).toMatchObject({ reason: 'aborted' });
  await agent.run('next', new AbortController().signal);
  const [, , results] = agent.client.requests[1]?.messages ?? [];
  expect(results?.content).toMatchObject([
    { content: 'Hang was cancelled before it was done.', is_error: true },
    { content: /not run/, is_error: true },
  ]);
});

test('mail that comes while an interrupted turn ends is not taken by it: it starts the next one', async () => {
  const agent = bench(
    [{ calls: ['Mail'] }],
    [
      tool('Mail', async () => {
        agent.say('are you there?', 'lead');
        agent.turn.abort();
        return 'x';
      }),
    ],
  );
  expect(await agent.run()).toMatchObject({ reason: 'aborted' });
  expect(agent.delivered).toEqual([]);
  expect(agent.arrivals.wakes()).toBe(true);
});

test('a draining agent finishes the call that runs, answers the rest as not run, and asks no more', async () => {
  const ran: string[] = [];
  const agent = bench(
    [{ calls: ['First', 'Second'] }],
    [
      tool('First', async () => {
        agent.drain.abort();
        ran.push('First');
        return 'whole';
      }),
      tool('Second', async () => `${ran.push('Second')}`),
    ],
  );
  agent.say('early');
  expect(await agent.run()).toMatchObject({ reason: 'aborted' });
  expect(ran).toEqual(['First']);
  expect(agent.client.requests.length).toBe(1);
  expect(agent.history.at(-1)?.content).toMatchObject([{ content: 'whole' }, { content: /not run/ }]);
});

test('a turn that was over before it began takes no mail', async () => {
  const agent = bench([]);
  agent.say('hello');
  agent.drain.abort();
  expect(await agent.run()).toEqual({ reason: 'aborted', text: '' });
  expect(agent.arrivals.wakes()).toBe(true);
  expect(agent.history).toEqual([]);
});

test('a blank text of the model does not spoil the conversation for the rest of its life', async () => {
  const agent = bench([{ text: '\n\n', calls: ['Echo'] }, { text: ' ' }, { text: 'fine' }], [echo]);
  await agent.run('first');
  expect(await agent.run('second')).toEqual({ reason: 'done', text: 'fine' });
  expect(problemIn({ model: MODEL, max_tokens: 10, messages: agent.history, tools: [echo.schema] })).toBeUndefined();
});

test('the turn ends behind a plan that was handed in; calls after it are not run', async () => {
  let runs = 0;
  const agent = bench(
    [{ text: 'My plan.', calls: ['Plan', 'Count'] }],
    [
      tool('Plan', async () => ({ content: 'waiting', endsTurn: 'waits-for-plan' })),
      tool('Count', async () => `${++runs}`),
    ],
  );
  expect(await agent.run()).toEqual({ reason: 'waits-for-plan', text: 'My plan.' });
  expect(runs).toBe(0);
});
