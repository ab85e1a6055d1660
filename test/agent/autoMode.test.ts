import { expect, test } from 'vitest';
import { type AutoDecision, createAutoMode, DeniedError, type JudgeCall } from '../../src/agent/autoMode.js';
import { createGate } from '../../src/agent/calls/gate.js';
import type { AskPort } from '../../src/agent/ports.js';
import type { Access } from '../../src/permissions/access.js';
import type { JudgeContext } from '../../src/permissions/judge.js';
import { parseRule } from '../../src/permissions/rule.js';
import { bench, tool } from './harness.js';

const CONTEXT: JudgeContext = {
  mode: 'auto',
  rules: {
    allow: [parseRule('Bash(make *)')],
    ask: [parseRule('Bash(npm publish *)')],
    deny: [parseRule('Bash(sudo *)')],
  },
  cwd: '/project',
  folders: ['/project'],
  protectedRoots: [],
  allowedPaths: [],
  home: '/home/x',
};

interface Given {
  readonly says?: JudgeCall;
  readonly ask?: AskPort;
  readonly hasPerson?: boolean;
  readonly context?: Partial<JudgeContext>;
}

/** One agent in mode auto; what its classifier and its person were asked is counted. */
function agentIn({ says = allows, ask = refuses, hasPerson = true, context = {} }: Given = {}) {
  const [judged, asked]: [string[], string[]] = [[], []];
  const decisions: AutoDecision[] = [];
  const gate = createGate({
    context: () => ({ ...CONTEXT, ...context }),
    async ask(question, signal) {
      asked.push(question.description);
      return ask(question, signal);
    },
    auto: createAutoMode({
      async judgeCall(question, signal) {
        judged.push(question.description);
        return says(question, signal);
      },
      hasPerson,
      onDecision: (decision) => decisions.push(decision),
    }),
  });
  const decide = (access: Access, name = 'Bash') =>
    gate.decide(
      tool(name, async () => ''),
      access,
      { type: 'tool_use', id: 'toolu_1', name, input: {}, caller: { type: 'direct' } },
      new AbortController().signal,
    );
  return { gate, judged, asked, decisions, decide, run: (command: string) => decide({ kind: 'shell', command }) };
}

const allows: JudgeCall = async () => ({ block: false, reason: 'fine' });
const blocks: JudgeCall = async () => ({ block: true, reason: 'It publishes.' });
const broken: JudgeCall = () => Promise.reject(new Error('no answer'));
const refuses: AskPort = async () => ({ allow: false, because: 'no' });
const agrees: AskPort = async () => ({ allow: true });

test('in mode auto a classifier decides on what no rule settles, with its reason, and nobody is asked', async () => {
  const lenient = agentIn();
  expect(await lenient.run('curl x.example')).toMatchObject({ allow: true });
  const strict = agentIn({ says: blocks });
  expect(await strict.run('curl x.example')).toEqual({
    allow: false,
    because: expect.stringContaining('Bash: curl x.example. Reason: It publishes.'),
  });
  expect([lenient.judged, strict.judged]).toEqual([['Bash: curl x.example'], ['Bash: curl x.example']]);
  expect([...lenient.asked, ...strict.asked]).toEqual([]);
  expect([...lenient.decisions, ...strict.decisions]).toEqual(['allowed', 'denied']);
});

test('a classifier is not asked for what rules or the mode itself settle', async () => {
  const agent = agentIn({ says: blocks });
  expect(await agent.run('make all')).toMatchObject({ allow: true });
  expect(await agent.run('ls')).toMatchObject({ allow: true });
  expect(await agent.run('sudo ls')).toMatchObject({ allow: false });
  expect(await agent.decide({ kind: 'write', paths: ['/project/a.ts'] }, 'Edit')).toMatchObject({ allow: true });
  expect([agent.judged, agent.asked]).toEqual([[], []]);
});

test.each<[string, Access, string]>([
  ['a rule that asks', { kind: 'shell', command: 'npm publish x' }, 'Bash'],
  ['a protected file', { kind: 'write', paths: ['/project/.git/hooks/x'] }, 'Write'],
  ['a protected file that a redirect writes', { kind: 'shell', command: 'echo x > .envrc' }, 'Bash'],
  ['a protected file that a command seems to write', { kind: 'shell', command: 'tee .git/config' }, 'Bash'],
  ['a command that cannot be told', { kind: 'shell', command: 'if true; then' }, 'Bash'],
  ['the removal of what holds everything', { kind: 'shell', command: 'rm -rf ~' }, 'Bash'],
])('%s is for a person, never for the classifier', async (_, access, name) => {
  const agent = agentIn();
  expect(await agent.decide(access, name)).toEqual({ allow: false, because: 'no' });
  expect([agent.judged.length, agent.asked.length]).toEqual([0, 1]);
});

test.each(['default', 'acceptEdits'] as const)('in mode %s no classifier is asked', async (mode) => {
  const agent = agentIn({ context: { mode } });
  await agent.run('curl x.example');
  expect([agent.judged.length, agent.asked.length]).toEqual([0, 1]);
});

test('a classifier that does not answer leaves the call to a person, who reads why', async () => {
  const agent = agentIn({ says: broken, ask: agrees });
  expect(await agent.run('curl x.example')).toMatchObject({ allow: true });
  expect(agent.asked).toEqual(['Bash: curl x.example (the classifier of mode auto did not answer: no answer)']);
});

test('after three denials in a row a person is asked, and a yes lets the classifier go on', async () => {
  let answer = false;
  const agent = agentIn({
    says: blocks,
    ask: async () => (answer ? { allow: true } : { allow: false, because: 'no' }),
  });
  for (const command of ['a 1', 'a 2', 'a 3', 'a 4', 'a 5']) await agent.run(command);
  expect([agent.judged.length, agent.asked.length]).toEqual([3, 2]);
  expect(agent.asked[0]).toBe('Bash: a 4 (mode auto has denied 3 calls in a row, so you decide)');
  answer = true;
  expect(await agent.run('a 6')).toMatchObject({ allow: true });
  await agent.run('a 7');
  expect([agent.judged.length, agent.asked.length]).toEqual([4, 3]);
});

test('after twenty denials in all a person is asked, however many were let through between them', async () => {
  let calls = 0;
  const agent = agentIn({ says: async () => ({ block: calls++ % 2 === 0, reason: 'every other one' }) });
  for (let n = 1; n <= 40; n++) await agent.run(`a ${n}`);
  expect(agent.decisions.filter((decision) => decision === 'denied')).toHaveLength(20);
  expect(agent.asked[0]).toBe('Bash: a 40 (mode auto has denied 20 calls in all, so you decide)');
});

test('each agent counts its own denials', async () => {
  const [one, other] = [agentIn({ says: blocks }), agentIn({ says: blocks })];
  for (const command of ['a 1', 'a 2', 'a 3']) await one.run(command);
  await other.run('a 1');
  await one.run('a 4');
  expect([one.asked.length, other.asked.length]).toEqual([1, 0]);
});

test('where nobody can be asked the third denial in a row ends the agent, and its turn has failed', async () => {
  const { gate } = agentIn({ says: blocks, hasPerson: false });
  const shell = tool('Bash', async () => 'ran', { access: () => ({ kind: 'shell', command: 'curl x.example' }) });
  const replies = Array.from({ length: 5 }, (_, n) => ({ calls: [{ name: 'Bash', input: { n } }] }));
  const run = bench(replies, [shell], { gate, state: { cwd: '/project', mode: 'auto' } });
  const end = await run.run();
  expect(end).toMatchObject({ reason: 'failed', error: expect.any(DeniedError) });
  expect(run.client.requests).toHaveLength(3);
  expect(run.events.filter(({ type }) => type === 'tool_denied')).toHaveLength(3);
  expect(JSON.stringify(run.history.at(-1))).toContain('3 calls in a row denied and nobody is there to be asked');
});
