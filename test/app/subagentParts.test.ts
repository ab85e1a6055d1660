import { expect, test } from 'vitest';
import { childModel } from '../../src/app/session/childModel.js';
import { type Parent, subagentParts } from '../../src/app/subagents/subagentParts.js';
import type { AgentDefinition } from '../../src/definitions/agent.js';
import { fork } from '../../src/definitions/builtin/fork.js';
import type { MessageParam } from '../../src/model/types.js';
import { createReadLedger } from '../../src/tools/support/files/readLedger.js';
import { tool } from '../agent/harness.js';

const OPUS = 'claude-opus-5-5';
const SONNET = 'claude-sonnet-5-5';
const HAIKU = 'claude-haiku-5-5';
const environment = { cwd: '/project', isRepository: true, platform: 'linux', shell: 'bash', model: OPUS };

test.each([
  ['the call before the definition', { asked: 'haiku', defined: 'sonnet' }, HAIKU],
  [
    'the definition before the variable',
    { defined: 'sonnet', environment: { TROUPE_SUBAGENT_MODEL: 'haiku' } },
    SONNET,
  ],
  ['the variable before the parent', { environment: { TROUPE_SUBAGENT_MODEL: 'haiku' } }, HAIKU],
  ['the parent where nothing says more', {}, OPUS],
  [
    'the parent for inherit, whatever the variable says',
    { defined: 'inherit', environment: { TROUPE_SUBAGENT_MODEL: 'haiku' } },
    OPUS,
  ],
  [
    'the variable before all with FORCE',
    {
      asked: 'opus',
      defined: 'sonnet',
      environment: { TROUPE_SUBAGENT_MODEL: 'haiku', TROUPE_SUBAGENT_MODEL_FORCE: '1' },
    },
    HAIKU,
  ],
  [
    'the call where FORCE has no variable',
    { asked: 'sonnet', environment: { TROUPE_SUBAGENT_MODEL_FORCE: '1' } },
    SONNET,
  ],
  ['a full id as it is', { asked: 'my-model' }, 'my-model'],
])('the model of a child is that of %s', (_, wish, model) => {
  expect(childModel({ environment: {}, parent: OPUS, ...wish })).toBe(model);
});

const SAID: MessageParam[] = [
  { role: 'user', content: 'hello' },
  {
    role: 'assistant',
    content: [
      { type: 'thinking', thinking: 'hm', signature: 's' },
      { type: 'text', text: 'hi' },
    ],
  },
  { role: 'user', content: 'now this' },
  { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'Agent', input: {} }] },
];

function parentOf(more: Partial<Parent> = {}): Parent {
  const tools = ['Agent', 'Bash', 'Read'].map((name) => tool(name, async () => ''));
  const messages = structuredClone(SAID);
  return {
    model: OPUS,
    state: { cwd: '/project', mode: 'default' },
    tools: () => tools,
    history: () => messages,
    readLedger: createReadLedger(),
    lastRequest: () => ({
      model: OPUS,
      system: ['the very bytes'],
      messages: [],
      tools: tools.map(({ schema }) => schema),
      userId: 'x',
      effort: 'max',
    }),
    ...more,
  };
}

const KNOWLEDGE = { opening: async () => ['house rules'], again: async () => 'house rules', notes: undefined };

const parts = (
  definition: Partial<AgentDefinition> = {},
  {
    parent = parentOf(),
    model,
    variables = {},
  }: { parent?: Parent; model?: string; variables?: Record<string, string> } = {},
) =>
  subagentParts(
    { agentType: 'x', whenToUse: '', getSystemPrompt: () => 'Defined.', source: 'flag', ...definition },
    { prompt: 'do it', model },
    { parent, environment, variables, knowledge: KNOWLEDGE, gitNote: async () => 'git note' },
  );
const textsOf = (blocks: readonly object[] = []) => blocks.map((block) => ('text' in block ? block.text : 'no text'));

test('a sub-agent begins with the project’s instructions and state, its initial prompt, and what it is asked, and knows nothing else', async () => {
  const own = await parts({ initialPrompt: 'Begin with the tests.' });
  expect([own.history, textsOf(own.prompt)]).toEqual([
    [],
    ['house rules', 'git note', 'Begin with the tests.', 'do it'],
  ]);
  expect(textsOf((await parts({ omitGitStatus: true })).prompt)).toEqual(['house rules', 'do it']);
});

test('the system prompt is the definition’s, or the default one with its words behind', async () => {
  expect((await parts()).system[0]).toBe('Defined.');
  expect((await parts({ appendSystemPrompt: true })).system[0]).toMatch(/software engineer[\s\S]*\n\nDefined\.$/);
  expect((await parts({ model: 'haiku' })).system.join()).toContain(`Model: ${HAIKU}`);
});

test('a sub-agent does not think, unless its definition or the person set an effort', async () => {
  const [plain, defined, number, person] = await Promise.all([
    parts(),
    parts({ effort: 'low' }),
    parts({ effort: 7 }),
    parts({}, { parent: parentOf({ effort: 'high' }) }),
  ]);
  const thinking = [plain, defined, number, person].map(({ effort, thinking }) => [effort, thinking]);
  expect(thinking).toEqual([
    [undefined, 'off'],
    ['low', undefined],
    [undefined, undefined],
    ['high', undefined],
  ]);
  expect((await parts({ effort: 'low' }, { parent: parentOf({ effort: 'high' }) })).effort).toBe('low');
});

test('limits and reminders come from the definition', async () => {
  expect(await parts({ maxTurns: 3, criticalSystemReminder: 'Change nothing.' })).toMatchObject({
    maxTurns: 3,
    reminder: 'Change nothing.',
  });
});

test.each([
  ['its definition’s, narrowed to the parent’s', 'default', 'acceptEdits', 'default'],
  ['its definition’s, where that is narrower', 'default', 'plan', 'plan'],
  ['the parent’s, where that one is loose', 'acceptEdits', 'plan', 'acceptEdits'],
  ['the parent’s, without a definition’s', 'dontAsk', undefined, 'dontAsk'],
  ['the parent’s, for a fork that asks in its terminal', 'default', 'bubble', 'default'],
] as const)('the mode of a sub-agent is %s', async (_, mode, permissionMode, expected) => {
  const own = await parts({ permissionMode }, { parent: parentOf({ state: { cwd: '/project', mode } }) });
  expect(own.state).toEqual({ cwd: '/project', mode: expected });
});

test('a fork has the very request of its parent, a copy of what that one read, and neither notes nor a model of its own', async () => {
  const parent = parentOf();
  parent.readLedger.record('/a', { mtimeMs: 1, size: 1, partial: false });
  const own = await parts(fork, {
    parent,
    model: 'haiku',
    variables: { TROUPE_SUBAGENT_MODEL: 'haiku', TROUPE_SUBAGENT_MODEL_FORCE: '1' },
  });
  const request = parent.lastRequest();
  expect([own.model, own.system, own.effort, own.thinking, own.prompt?.length, own.history]).toEqual([
    OPUS,
    request?.system,
    'max',
    undefined,
    2,
    SAID,
  ]);
  expect(own.tools.map(({ schema }) => schema)).toEqual(request?.tools);
  own.readLedger.record('/b', { mtimeMs: 1, size: 1, partial: false });
  own.state.cwd = '/elsewhere';
  expect([own.readLedger.get('/a'), parent.readLedger.get('/b'), parent.state.cwd]).toEqual([
    { mtimeMs: 1, size: 1, partial: false },
    undefined,
    '/project',
  ]);
});

test('an agent that sees its parent’s turn has it before its own prompt, with its own tools, and without another model’s thinking', async () => {
  const whole = await parts({ forksParentContext: true, model: 'haiku', tools: ['Read'] });
  expect(whole.history[1]?.content).toEqual([{ type: 'text', text: 'hi' }]);
  expect(whole.tools.map(({ name }) => name)).toEqual(['Read']);
  expect((await parts({ forksParentContext: true })).history).toEqual(SAID);
  const turn = await parts({ forksParentContext: 'turn', initialPrompt: 'First this.' });
  expect([turn.history, turn.prompt?.[0]?.type, textsOf(turn.prompt?.slice(1))]).toEqual([
    SAID.slice(2),
    'tool_result',
    ['First this.', expect.stringMatching(/^<fork-directive>/)],
  ]);
});

test('what sees its parent’s conversation is refused inside of a fork', async () => {
  await expect(parts(fork, { parent: parentOf({ isFork: true }) })).rejects.toThrow(/fork does not fork/);
  await expect(parts({ forksParentContext: 'turn' }, { parent: parentOf({ isFork: true }) })).rejects.toThrow(/fork/);
  await expect(parts({}, { parent: parentOf({ isFork: true }) })).resolves.toBeDefined();
});
