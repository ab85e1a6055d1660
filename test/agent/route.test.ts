import { expect, test } from 'vitest';
import { createAgentSlots, DEFAULT_LIMITS } from '../../src/agent/limits.js';
import { type Caller, type RouteCall, route } from '../../src/agent/route.js';
import type { AgentDefinition } from '../../src/definitions/agent.js';
import { builtInAgents } from '../../src/definitions/builtin/all.js';
import { parseRule } from '../../src/permissions/rule.js';
import { UserError } from '../../src/util/errors.js';

const own = (agentType: string, more: Partial<AgentDefinition> = {}): AgentDefinition => ({
  agentType,
  whenToUse: 'in a test',
  getSystemPrompt: () => 'You are a test.',
  source: 'project',
  ...more,
});

const AGENTS = [
  ...builtInAgents({}),
  own('apart', { isolation: 'worktree' }),
  own('far', { isolation: 'remote' }),
  own('slow', { background: true }),
  own('web', { requiredMcpServers: ['Playwright', 'github'] }),
];

function caller(given: Partial<Caller> = {}): Caller & { started(): number } {
  let started = 0;
  const slots = createAgentSlots(DEFAULT_LIMITS);
  return {
    depth: 0,
    agents: {
      agents: new Map(AGENTS.map((agent) => [agent.agentType, agent])),
      skipped: [],
      overridden: [],
      warnings: [],
    },
    denyRules: [],
    isFork: false,
    history: [],
    forkMode: false,
    isCoordinator: false,
    background: 'on',
    mcpServers: async () => [],
    slots: {
      take(...args) {
        const slot = slots.take(...args);
        started++;
        return slot;
      },
    },
    ...given,
    started: () => started,
  };
}

const LEAD = { team: 'red' };
const FORKED = [
  { role: 'user' as const, content: [{ type: 'text' as const, text: '<fork-directive>\nGo.\n</fork-directive>' }] },
];

test.each<[string, Partial<RouteCall>, Partial<Caller>, object]>([
  ['a name in a team is a teammate', { name: 'bob' }, LEAD, { to: 'teammate' }],
  ['so it is in a worktree', { name: 'bob', isolation: 'worktree' }, LEAD, { to: 'teammate' }],
  ['and with the own team named', { name: 'bob', teamName: 'red' }, LEAD, { to: 'teammate' }],
  ['a named fork is a sub-agent', { name: 'bob', subagentType: 'fork' }, LEAD, { to: 'sub-agent', isFork: true }],
  ['without a team a name is one in the registry', { name: 'bob' }, {}, { to: 'sub-agent', isFork: false }],
  ['no type is general-purpose', {}, {}, { definition: { agentType: 'general-purpose' }, isBackground: false }],
  ['in fork mode it is a fork', {}, { forkMode: true }, { isFork: true, isBackground: true }],
  [
    'in fork mode every call is in the background',
    { subagentType: 'Explore' },
    { forkMode: true },
    { isFork: false, isBackground: true },
  ],
  ['a fork is in the background', { subagentType: 'fork' }, {}, { isBackground: true }],
  ['a coordinator’s call too', { subagentType: 'Explore' }, { isCoordinator: true }, { isBackground: true }],
  [
    'whatever the call says',
    { subagentType: 'Explore', runInBackground: false },
    { isCoordinator: true },
    { isBackground: true },
  ],
  ['and in fork mode', { subagentType: 'Explore', runInBackground: false }, { forkMode: true }, { isBackground: true }],
  ['so is what its definition says', { subagentType: 'slow' }, {}, { isBackground: true }],
  ['and what the call asks for', { runInBackground: true }, {}, { isBackground: true }],
  ['the call can say no', { subagentType: 'slow', runInBackground: false }, {}, { isBackground: false }],
  [
    'switched off, all run in the foreground',
    { subagentType: 'slow', runInBackground: true },
    { background: 'off' },
    { isBackground: false },
  ],
  [
    'where it is refused, a definition runs in the foreground',
    { subagentType: 'slow' },
    { background: { refused: 'Not in here.' } },
    { isBackground: false },
  ],
  ['isolation is the call’s', { isolation: 'worktree' }, {}, { isolation: 'worktree' }],
  ['or the definition’s', { subagentType: 'apart' }, {}, { isolation: 'worktree' }],
  [
    'servers are found by a part of their names, whatever the case',
    { subagentType: 'web' },
    { mcpServers: async () => ['my-PLAYWRIGHT', 'GitHub Enterprise'] },
    { to: 'sub-agent' },
  ],
  [
    'a list of types allows what is on it',
    { subagentType: 'Explore' },
    { tools: ['Read', 'Agent(Plan, Explore)'] },
    { definition: { agentType: 'Explore' } },
  ],
])('%s', async (_, call, given, expected) => {
  expect(await route({ toolUseId: 'toolu_1', ...call }, caller(given))).toMatchObject(expected);
});

test.each<[string, Partial<RouteCall>, Partial<Caller>, string]>([
  ['another team', { name: 'bob', teamName: 'blue' }, LEAD, 'You are in the team "red"'],
  ['any team for a teammate', { name: 'bob', teamName: 'red' }, {}, 'only a lead brings members in'],
  [
    'an unknown type',
    { subagentType: 'Explor' },
    {},
    'Unknown agent type "Explor". Did you mean "Explore"? Known: Explore, Plan, apart',
  ],
  [
    'a denied type',
    { subagentType: 'Explore' },
    { denyRules: [parseRule('Agent(Explore)')] },
    'Agents of type "Explore" are denied by the permission rule Agent(Explore).',
  ],
  ['a type by its former tool’s name', { subagentType: 'Plan' }, { denyRules: [parseRule('Task(Pl*)')] }, 'Agent(Pl*)'],
  [
    'the type that a call without one has',
    {},
    { denyRules: [parseRule('Agent(fork)')], forkMode: true },
    'type "fork" are denied',
  ],
  [
    'a type that is not on the caller’s list',
    { subagentType: 'slow' },
    { tools: ['Agent(Explore)', 'Agent(Plan)'] },
    'these types: Explore, Plan; not "slow"',
  ],
  ['a fork of a fork, by its origin', { subagentType: 'fork' }, { isFork: true }, 'You are a fork yourself'],
  ['a fork of a fork, by its history', { subagentType: 'fork' }, { history: FORKED }, 'that of a fork'],
  [
    'servers that are not connected',
    { subagentType: 'web' },
    { mcpServers: async () => ['playwright'] },
    'not connected: github.',
  ],
  ['a remote host', { subagentType: 'far' }, {}, 'wants a remote host'],
  [
    'the background where there is none',
    { runInBackground: true },
    { background: { refused: 'Not in here.' } },
    'Not in here.',
  ],
  ['an agent of an agent', {}, { depth: 1 }, 'nested 1 deep (setting agentLimits.depth)'],
])('refused before anything starts: %s', async (_, call, given, words) => {
  const who = caller(given);
  const refused = route({ toolUseId: 'toolu_1', ...call }, who);
  await expect(refused).rejects.toThrow(UserError);
  await expect(refused).rejects.toThrow(words);
  expect(who.started()).toBe(0);
});

test('20 run at once and 200 in a session, each refusal names its limit; who ends makes room once', async () => {
  const slots = createAgentSlots(DEFAULT_LIMITS);
  const running = Array.from({ length: 20 }, (_, n) => slots.take(`toolu_${n}`, 1));
  expect(() => slots.take('one more', 1)).toThrow('20 agents are running, which is all that may at once');
  running[0]?.free();
  running[0]?.free();
  slots.take('one more', 1);
  expect(() => slots.take('and one', 1)).toThrow('agentLimits.concurrent');

  const before = Array.from({ length: 199 }, (_, n) => `toolu_${n}`);
  const late = createAgentSlots(DEFAULT_LIMITS, before);
  late.take('the last', 1);
  expect(() => late.take('too late', 1)).toThrow('has had 200 agents');
});

test('one call never starts two agents, also when it is asked side by side or comes back in a resumed session', async () => {
  const who = caller();
  const twice = await Promise.allSettled([1, 2].map(() => route({ toolUseId: 'toolu_1' }, who)));
  expect(twice.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(who.started()).toBe(1);
  const resumed = createAgentSlots(DEFAULT_LIMITS, ['toolu_1']);
  expect(() => resumed.take('toolu_1', 1)).toThrow('started its agent already');
});

test('a deeper limit is exactly that deep', () => {
  const slots = createAgentSlots({ ...DEFAULT_LIMITS, depth: 2 });
  slots.take('a', 1);
  slots.take('b', 2);
  expect(() => slots.take('c', 3)).toThrow('nested 2 deep');
});
