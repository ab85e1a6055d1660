import fc from 'fast-check';
import { expect, test } from 'vitest';
import { problemIn } from '../../src/modelServer/check/check.js';
import { ToolError } from '../../src/util/errors.js';
import { bench, MODEL, type Reply, tool } from './harness.js';

const TOOLS = ['Read', 'Write', 'Throws', 'Wrong', 'Denied', 'Mail', 'Aborts', 'Drains', 'Plan', 'Silent', 'Unknown'];

const reply: fc.Arbitrary<Reply> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ calls: fc.array(fc.constantFrom(...TOOLS), { maxLength: 5 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      text: fc.constantFrom('a text', '', ' \n'),
      calls: fc.array(fc.constantFrom(...TOOLS), { maxLength: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      text: fc.constantFrom('half', ' '),
      calls: fc.array(fc.constantFrom('Read'), { maxLength: 1 }),
      stop: fc.constantFrom('max_tokens' as const, 'refusal' as const, 'model_context_window_exceeded' as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Reply>({ text: 'paused', stop: 'pause_turn' }) },
  { weight: 1, arbitrary: fc.constant<Reply>({ fails: new Error('down') }) },
);

test('whatever a model answers, tools do and others send: every request is one that the API takes', async () => {
  const script = fc.array(reply, { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(script, fc.integer({ min: 1, max: 4 }), async (replies, turns) => {
      const abort: { turn: AbortController; drain: AbortController } = {
        turn: new AbortController(),
        drain: new AbortController(),
      };
      const agent = bench(
        replies,
        [
          tool('Read', async () => 'read', { isReadOnly: true }),
          tool('Write', async () => 'written'),
          tool('Throws', () => Promise.reject(new Error(''))),
          tool('Wrong', () => Promise.reject(new ToolError(''))),
          tool('Denied', async () => 'never'),
          tool('Mail', async () => {
            agent.say('one');
            agent.say('two', 'lead');
            return 'x';
          }),
          tool('Aborts', async () => {
            abort.turn.abort();
            return 'aborted';
          }),
          tool('Drains', async () => {
            abort.drain.abort();
            return 'drained';
          }),
          tool('Plan', async () => ({ content: 'handed in', endsTurn: 'waits-for-plan' })),
          tool('Silent', async () => ({ content: [{ type: 'text', text: '' }], isError: true })),
        ],
        {
          gate: {
            decide: async ({ name }) => (name === 'Denied' ? { allow: false, because: 'no' } : { allow: true }),
          },
        },
      );
      for (let turn = 0; turn < turns; turn++) {
        abort.turn = new AbortController();
        abort.drain = new AbortController();
        Object.assign(agent.deps, { drain: abort.drain.signal });
        const end = await agent.run(`turn ${turn}`, abort.turn.signal);
        if (end.reason === 'failed') expect(end.error.message).not.toMatch(/^refused/);
      }
      const messages = [...agent.history, { role: 'user', content: 'and now?' }];
      const tools = agent.deps.tools.map(({ schema }) => schema);
      expect(problemIn({ model: MODEL, max_tokens: 10, messages, tools })).toBeUndefined();
    }),
    { numRuns: 400 },
  );
});
