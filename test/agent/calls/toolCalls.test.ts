import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { Gate } from '../../../src/agent/ports.js';
import { ToolError } from '../../../src/util/errors.js';
import { bench, tool } from '../harness.js';

const answerTo = async (call: string | { name: string; input: object }, ...tools: ReturnType<typeof tool>[]) => {
  const agent = bench([{ calls: [call] }], tools);
  await agent.run();
  return agent.told(1);
};

test.each([
  ['a thrown error', async () => Promise.reject(new Error('disk full')), 'error: Try broke: disk full'],
  ['an error for the model', async () => Promise.reject(new ToolError('no such file')), 'error: no such file'],
  ['a thrown thing that is no error', async () => Promise.reject('what'), 'error: Try broke: what'],
  ['nothing at all', async () => '', 'result: (no output)'],
  ['an error for the model without words', async () => Promise.reject(new ToolError('')), 'error: (no output)'],
  ['a failure without words', async () => ({ content: '', isError: true }), 'error: (no output)'],
])('%s is the result of its call', async (_, call, result) => {
  expect(await answerTo('Try', tool('Try', call))).toEqual([result]);
});

test('blank and foreign blocks of a result are left out, and an empty one says so', async () => {
  const agent = bench([{ calls: ['Try'] }], [tool('Try', async () => ({ content: [{ type: 'text', text: ' ' }] }))]);
  await agent.run();
  expect(agent.client.requests[1]?.messages.at(-1)?.content).toMatchObject([
    { content: [{ type: 'text', text: '(no output)' }] },
  ]);
});

test('an unknown tool is answered with the nearest and all names', async () => {
  const [answer] = await answerTo(
    'Raed',
    tool('Read', async () => ''),
    tool('Grep', async () => ''),
  );
  expect(answer).toBe('error: There is no tool "Raed". Did you mean "Read"? Tools: Read, Grep');
});

test('an input that does not fit is answered with what was wrong, and the tool is not run', async () => {
  let runs = 0;
  const strict = tool('Strict', async () => `${++runs}`, { input: z.object({ path: z.string() }) });
  const [answer] = await answerTo({ name: 'Strict', input: { path: 1 } }, strict);
  expect(answer).toMatch(/^error: The input does not fit Strict:\n- path: /);
  expect(runs).toBe(0);
});

test('a denial is the result of the call, and an event for whoever counts them', async () => {
  const gate: Gate = { decide: async () => ({ allow: false, because: 'the rule says no' }) };
  const agent = bench([{ calls: ['Try'] }], [tool('Try', async () => 'ran')], { gate });
  await agent.run();
  expect(agent.told(1)).toEqual(['error: the rule says no']);
  expect(agent.events.filter(({ type }) => type === 'tool_denied')).toMatchObject([
    { call: { name: 'Try' }, because: 'the rule says no' },
  ]);
});

test('a gate that breaks denies', async () => {
  const gate: Gate = { decide: () => Promise.reject(new Error('no rules file')) };
  const agent = bench([{ calls: ['Try'] }], [tool('Try', async () => 'ran')], { gate });
  await agent.run();
  expect(agent.told(1)).toEqual(['error: Try broke: no rules file']);
});

test('a permission that comes after the turn was ended runs nothing', async () => {
  let runs = 0;
  const gate: Gate = {
    async decide() {
      agent.drain.abort();
      return { allow: true };
    },
  };
  const agent = bench([{ calls: ['Try'] }], [tool('Try', async () => `${++runs}`)], { gate });
  await agent.run();
  expect(runs).toBe(0);
});

test('whoever is asked for a permission learns that the agent leaves', async () => {
  const gate: Gate = {
    decide: (_tool, _access, _call, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ allow: false, because: 'gone' }));
        agent.drain.abort();
      }),
  };
  const agent = bench([{ calls: ['Try'] }], [tool('Try', async () => 'ran')], { gate });
  expect(await agent.run()).toMatchObject({ reason: 'aborted' });
});

test('neighbours that only read run side by side, others in order, and results come in the order of the calls', async () => {
  const log: string[] = [];
  const timed = (name: string, isReadOnly: boolean, ticks: number) =>
    tool(
      name,
      async () => {
        log.push(`${name} begins`);
        for (let tick = 0; tick < ticks; tick++) await new Promise((resolve) => setImmediate(resolve));
        log.push(`${name} ends`);
        return name;
      },
      { isReadOnly },
    );
  const agent = bench(
    [{ calls: ['Slow', 'Fast', 'Write', 'Fast', 'Write'] }],
    [timed('Slow', true, 3), timed('Fast', true, 1), timed('Write', false, 1)],
  );
  await agent.run();
  expect(agent.told(1)).toEqual(['Slow', 'Fast', 'Write', 'Fast', 'Write'].map((name) => `result: ${name}`));
  expect(log).toEqual([
    ...['Slow begins', 'Fast begins', 'Fast ends', 'Slow ends'],
    ...['Write begins', 'Write ends', 'Fast begins', 'Fast ends', 'Write begins', 'Write ends'],
  ]);
});

test('what a call changes, folder or mode, holds for the calls after it', async () => {
  const agent = bench(
    [{ calls: ['Move', 'Where'] }],
    [
      tool('Move', async () => ({ content: 'moved', cwd: '/there', mode: 'plan' })),
      tool('Where', async ({ cwd, mode }) => `${cwd} ${mode}`),
    ],
  );
  await agent.run();
  expect(agent.told(1)).toEqual(['result: moved', 'result: /there plan']);
});
