import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { createGate } from '../../src/agent/calls/gate.js';
import { createCompaction } from '../../src/agent/compaction.js';
import type { TurnEnd } from '../../src/agent/events.js';
import { type HooksPort, MOST_BLOCKS, withEndHooks, withTold } from '../../src/agent/hooks.js';
import type { HookedAnswer, PermissionAnswer } from '../../src/agent/ports.js';
import { ModelError } from '../../src/model/types.js';
import type { JudgeContext } from '../../src/permissions/judge.js';
import { parseRule } from '../../src/permissions/rule.js';
import { bench, tool } from './harness.js';

/** Hooks that say nothing but what a test has them say. */
const hooks = (more: Partial<HooksPort>): HooksPort => ({
  beforeCall: async () => ({}),
  onQuestion: async () => undefined,
  afterCall: async () => ({}),
  beforeCompaction: async () => undefined,
  ...more,
});
const context = (rules: Partial<Record<'allow' | 'ask' | 'deny', readonly string[]>>): JudgeContext => ({
  mode: 'default',
  rules: {
    allow: (rules.allow ?? []).map((rule) => parseRule(rule)),
    ask: (rules.ask ?? []).map((rule) => parseRule(rule)),
    deny: (rules.deny ?? []).map((rule) => parseRule(rule)),
  },
  cwd: '/',
  folders: [],
  protectedRoots: [],
  allowedPaths: [],
  home: '/home',
});
/** A tool that says what it was called with. */
const say = (ran: string[]) =>
  tool('Say', async () => '', {
    input: z.looseObject({ text: z.string() }),
    access: (input) => ({ kind: 'other', specifier: textOf(input) }),
    call: async (input) => {
      ran.push(textOf(input));
      return `said ${textOf(input)}`;
    },
  });
const textOf = (input: object) => z.looseObject({ text: z.string() }).parse(input).text;
const sayHello = [{ calls: [{ name: 'Say', input: { text: 'hello' } }] }, { text: 'end' }];

test('hooks hear of a call whose input is in order, then it is judged, then it is called, then hooks hear of the result', async () => {
  const steps: string[] = [];
  const port = hooks({
    beforeCall: async ({ call }) => {
      steps.push(`before ${JSON.stringify(call.input)}`);
      return {};
    },
    afterCall: async (_, { content }) => {
      steps.push(`after ${content}`);
      return {};
    },
  });
  const replies = [
    {
      calls: [
        { name: 'Say', input: {} },
        { name: 'Say', input: { text: 'hello' } },
      ],
    },
    { text: 'end' },
  ];
  const gate = {
    decide: async (): Promise<PermissionAnswer> => {
      steps.push('judged');
      return { allow: true };
    },
  };
  const agent = bench(replies, [say(steps)], { hooks: port, gate });
  await agent.run();
  expect(steps).toEqual(['before {"text":"hello"}', 'judged', 'hello', 'after said hello']);
  expect(agent.told(1)[0]).toMatch(/^error: .*text/s);
});

test('what a PermissionRequest hook makes of a call is judged too, once', async () => {
  const ran: string[] = [];
  let asked = 0;
  const onQuestion = async () => {
    asked++;
    return { allow: true as const, input: { text: asked === 1 ? 'changed' : 'changed again' } };
  };
  const gateWith = (deny: readonly string[]) =>
    createGate({ context: () => context({ deny }), ask: async () => ({ allow: false, because: 'nobody' }) });
  const agent = bench(sayHello, [say(ran)], { hooks: hooks({ onQuestion }), gate: gateWith([]) });
  await agent.run();
  expect(ran).toEqual(['changed']);
  const refused = bench(sayHello, [say(ran)], { hooks: hooks({ onQuestion }), gate: gateWith(['Say(changed)']) });
  asked = 0;
  await refused.run();
  expect(ran).toEqual(['changed']);
  expect(refused.told(1)[0]).toMatch(/^error: The permission rule Say\(changed\) refuses/);
});

test('a hook that changes a call so that its input is not in order is an error that the model reads', async () => {
  const agent = bench(sayHello, [say([])], { hooks: hooks({ beforeCall: async () => ({ input: { text: 7 } }) }) });
  await agent.run();
  expect(agent.told(1)[0]).toMatch(/^error: .*text/s);
});

test('what a hook adds for the model stands behind a refusal too, whoever refuses', async () => {
  const gate = { decide: async (): Promise<PermissionAnswer> => ({ allow: false, because: 'Not that.' }) };
  const beforeCall = async () => ({ told: 'Use the script.' });
  const denied = bench(sayHello, [say([])], { hooks: hooks({ beforeCall }), gate });
  await denied.run();
  expect(denied.told(1)[0]).toBe('error: Not that.\n\n<hook>\nUse the script.\n</hook>');
  const refusing = async () => ({ refused: 'A hook keeps it.', told: 'Use the script.' });
  const refused = bench(sayHello, [say([])], { hooks: hooks({ beforeCall: refusing }) });
  await refused.run();
  expect(refused.told(1)[0]).toMatch(/^error: A hook keeps it\..*Use the script\./s);
});

test('a denial that stops ends the turn behind its batch', async () => {
  const gate = { decide: async (): Promise<HookedAnswer> => ({ allow: false, because: 'No.', stops: true }) };
  const agent = bench(sayHello, [say([])], { hooks: hooks({}), gate });
  await agent.run();
  expect(agent.client.requests).toHaveLength(1);
});

test('a call that was interrupted while hooks decide is not run', async () => {
  const ran: string[] = [];
  const decide = async (): Promise<PermissionAnswer> => {
    ran.push('judged');
    return { allow: true };
  };
  const agent = bench(sayHello, [say(ran)], {
    gate: { decide },
    hooks: hooks({
      async beforeCall() {
        agent.turn.abort();
        return { said: 'allow' };
      },
    }),
  });
  expect(await agent.run()).toMatchObject({ reason: 'aborted' });
  expect(ran).toEqual([]);
});

test('a hook that stops the agent ends the turn behind the batch; later calls are answered as not run', async () => {
  const ran: string[] = [];
  const call = { name: 'Say', input: { text: 'hello' } };
  const agent = bench([{ calls: [call, call] }], [say(ran)], {
    hooks: hooks({ afterCall: async () => ({ stops: true }) }),
  });
  expect(await agent.run()).toEqual({ reason: 'done', text: '', stoppedBy: 'hook' });
  expect(ran).toEqual(['hello']);
  expect(agent.client.requests).toHaveLength(1);
  expect(agent.history.at(-1)?.content).toMatchObject([
    { type: 'tool_result' },
    { type: 'tool_result', is_error: true },
  ]);
});

test('a tool that breaks is a failure that hooks hear of', async () => {
  const heard: unknown[] = [];
  const broken = tool('Broken', () => Promise.reject(new Error('no disk')));
  const agent = bench([{ calls: ['Broken'] }, { text: 'end' }], [broken], {
    hooks: hooks({
      async afterCall(_, output) {
        heard.push(output);
        return { told: 'Try another disk.' };
      },
    }),
  });
  await agent.run();
  expect(heard).toEqual([{ content: 'Broken broke: no disk', isError: true }]);
  expect(agent.told(1)).toEqual(['error: Broken broke: no disk\n\n<hook>\nTry another disk.\n</hook>']);
});

test('a PreCompact hook keeps a conversation as it is while it fits, and names itself when it does not', async () => {
  const triggers: string[] = [];
  const port = hooks({
    async beforeCompaction(trigger) {
      triggers.push(trigger);
      return 'Keep all of it.';
    },
  });
  const replies = [
    { text: 'a', calls: ['Echo'], input: 9_500 },
    { fails: new ModelError('prompt-too-long', 'prompt is too long', 400) },
  ];
  const compaction = createCompaction({ contextWindow: 10_000 });
  const agent = bench(replies, [tool('Echo', async () => 'echo')], { hooks: port, compaction });
  const end = await agent.run();
  expect(triggers).toEqual(['auto', 'prompt-too-long']);
  expect(agent.restarts).toEqual([]);
  expect(end).toMatchObject({ reason: 'failed', error: { message: expect.stringContaining('Keep all of it.') } });
});

test('what hooks add stands behind a text, and behind blocks', () => {
  expect(withTold({ content: '' }, [undefined, '', 'a', 'b'])).toEqual({ content: '<hook>\na\nb\n</hook>' });
  expect(withTold({ content: [{ type: 'text', text: 'x' }] }, ['a']).content).toEqual([
    { type: 'text', text: 'x' },
    { type: 'text', text: '<hook>\na\n</hook>' },
  ]);
  expect(withTold({ content: 'x', cwd: '/' }, [undefined])).toEqual({ content: 'x', cwd: '/' });
});

const DONE: TurnEnd = { reason: 'done', text: 'x' };
const never = new AbortController().signal;
/** How often a turn that is `end` is gone on with before whatever comes next. */
async function blocksUntilNext(end: TurnEnd, reasons: readonly (string | undefined)[], drain: AbortSignal = never) {
  const asked: boolean[] = [];
  const ignored: string[] = [];
  const next = withEndHooks(
    async () => undefined,
    {
      async onDone(_, isAgain) {
        asked.push(isAgain);
        return reasons[asked.length - 1];
      },
      onIgnored: (reason) => ignored.push(reason),
    },
    () => never,
    drain,
  );
  let blocks = 0;
  while (await next(end)) blocks++;
  return { blocks, asked, ignored };
}

test('a turn that hooks block is gone on with until they do not, or have done it eight times in a row', async () => {
  expect(await blocksUntilNext(DONE, ['a', 'b'])).toEqual({ blocks: 2, asked: [false, true, true], ignored: [] });
  const always = await blocksUntilNext(DONE, Array(20).fill('again'));
  expect([always.blocks, always.ignored]).toEqual([MOST_BLOCKS, ['again']]);
});

test.each<TurnEnd>([
  { reason: 'aborted', text: '' },
  { reason: 'failed', text: '', error: new Error('down') },
  { reason: 'max-turns', text: '' },
  { reason: 'waits-for-plan', text: '' },
  { reason: 'done', text: '', stoppedBy: 'hook' },
])('hooks are not asked about the end of a turn that is not done by itself: %j', async (end) => {
  expect(await blocksUntilNext(end, ['again'])).toEqual({ blocks: 0, asked: [], ignored: [] });
});

test('whoever is being ended is not kept by a hook', async () => {
  const leaving = new AbortController();
  leaving.abort();
  expect(await blocksUntilNext(DONE, ['again'], leaving.signal)).toMatchObject({ blocks: 0, asked: [false] });
});
