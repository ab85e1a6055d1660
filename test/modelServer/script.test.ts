import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { parseScript } from '../../src/modelServer/script/script.js';
import { from, modelServer } from './helpers.js';

type Server = Awaited<ReturnType<typeof modelServer>>;

/** The content of the answer. */
async function ask(server: Server, userId: string, ...turns: unknown[]) {
  const response = await server.post('/v1/messages', from(userId, ...turns));
  return z.object({ content: z.unknown() }).parse(await response.json()).content;
}
const said = (text: string) => [expect.objectContaining({ type: 'text', text })];

const grep = (id: string) => [{ type: 'tool_use', id, name: 'Grep', input: {} }];
const found = (id: string, content: string) => [{ type: 'tool_result', tool_use_id: id, content }];

test('the first rule that matches answers, each agent by its own rules and turns', async () => {
  await using server = await modelServer({
    script: `
agents:
  alice:
    - {when: {turn: 1}, reply: one}
    - {when: {turn: {min: 3}}, reply: three or later}
    - {reply: else}
  alice/*: [{reply: sub-agent}]
  '*': [{reply: stranger}]
`,
  });
  expect(await ask(server, 'troupe:red:alice', 'x')).toEqual(said('one'));
  expect(await ask(server, 'troupe:red:alice', 'x')).toEqual(said('else'));
  expect(await ask(server, 'troupe:red:alice', 'x')).toEqual(said('three or later'));
  expect(await ask(server, 'troupe:red:alice/a1', 'x')).toEqual(said('sub-agent'));
  expect(await ask(server, 'troupe:red:bob', 'x')).toEqual(said('stranger'));
  expect(await ask(server, 'somebody else', 'x')).toEqual(said('stranger'));
});

test('several teams share a server without sharing turns, uses or captures', async () => {
  await using server = await modelServer({
    script: `
agents:
  alice:
    - {name: first, once: true, capture: {word: {from: user, match: 'say (\\w+)'}}, reply: 'I say {{word}}'}
    - {reply: 'again {{word}}'}
`,
  });
  expect(await ask(server, 'troupe:red:alice', 'say this')).toEqual(said('I say this'));
  expect(await ask(server, 'troupe:blue:alice', 'say that')).toEqual(said('I say that'));
  expect(await ask(server, 'troupe:red:alice', 'x')).toEqual(said('again this'));
});

test('conditions look at what the newest message brought', async () => {
  await using server = await modelServer({
    script: `
agents:
  '*':
    - {when: {tool: Grep, result: '^BUG'}, reply: found it}
    - {when: {user: 'hel+o', offers: Grep, model: opus}, reply: greeted}
    - {when: {offers: Write}, reply: can write}
    - {reply: nothing}
`,
  });
  expect(await ask(server, 'a', 'hello')).toEqual(said('greeted'));
  expect(await ask(server, 'a', 'hello', grep('1'), found('1', 'x\nBUG'))).toEqual(said('found it'));
  expect(await ask(server, 'a', 'hello', grep('1'), found('1', 'none'))).toEqual(said('nothing'));
  expect(await ask(server, 'a', 'hello', grep('1'), found('1', 'BUG'), 'well', 'next')).toEqual(said('nothing'));
});

test('a rule may ask for what came at any time of the conversation, in whatever order', async () => {
  await using server = await modelServer({
    script: "agents: {'*': [{when: {seen: ['^a is done', '^b is done']}, reply: both}, {reply: waiting}]}",
  });
  expect(await ask(server, 'a', 'b is done')).toEqual(said('waiting'));
  expect(await ask(server, 'a', 'b is done', 'waiting', 'well, a is done')).toEqual(said('waiting'));
  expect(await ask(server, 'a', 'b is done', 'waiting', 'so,\na is done')).toEqual(said('both'));
});

test('a rule may wait for how often another one has answered', async () => {
  await using server = await modelServer({
    script: `
agents:
  '*':
    - {name: late, when: {used: {rule: early, times: 2}}, reply: late}
    - {name: early, reply: early}
`,
  });
  const answers = [];
  for (let n = 0; n < 4; n++) answers.push(await ask(server, 'a', 'x'));
  expect(answers).toEqual([said('early'), said('early'), said('late'), said('late')]);
});

test('captured values fill replies of the whole team, deep in a call’s input, and numbers stay numbers', async () => {
  await using server = await modelServer({
    script: `
agents:
  planner:
    - when: {tool: Grep}
      capture:
        file: {from: result, match: '^(\\S+?):(?<line>\\d+):.*BUG'}
        task: {from: any, match: 'task (\\d+)'}
      reply:
        - text: 'In {{file}} at {{ line }}'
        - {tool: Read, input: {file_path: '/repo/{{file}}', offset: '{{line|number}}', more: [{task: '#{{task}}'}]}}
  coder: [{reply: 'mend {{file}}, you said: {{user}}'}]
`,
  });
  const history = ['do task 7', grep('1'), found('1', 'b.ts:1: fine\nsrc/a.ts:12: // BUG')];
  expect(await ask(server, 'troupe:red:planner', ...history)).toMatchObject([
    { text: 'In src/a.ts at 12' },
    { name: 'Read', input: { file_path: '/repo/src/a.ts', offset: 12, more: [{ task: '#7' }] } },
  ]);
  expect(await ask(server, 'troupe:red:coder', 'please')).toEqual(said('mend src/a.ts, you said: please'));
  expect(await ask(server, 'troupe:blue:coder', 'please')).toEqual(
    said('[model server] rule "rule 1" of coder: nothing has been captured as "file" (test.yaml)'),
  );
});

test('a capture that finds nothing is said aloud and logged', async () => {
  await using server = await modelServer({
    script: "agents: {alice: [{name: look, capture: {x: {from: user, match: 'y(.)'}}, reply: '{{x}}'}]}",
  });
  const problem = 'rule "look" of alice: capture "x" finds nothing: user does not match y(.) (test.yaml)';
  expect(await ask(server, 'troupe:red:alice', 'no')).toEqual(said(`[model server] ${problem}`));
  expect(server.log()).toMatchObject([{ rule: 'look', problem }]);
});

test('an agent whom no rule matches is told so, and it is logged', async () => {
  await using server = await modelServer({ script: 'agents: {alice: [{when: {turn: 2}, reply: x}]}' });
  const problem = 'no rule of the script matches turn 1 of alice (test.yaml)';
  expect(await ask(server, 'troupe:red:alice', 'x')).toEqual(said(`[model server] ${problem}`));
  expect(server.log()).toMatchObject([{ problem, reply: { stop_reason: 'end_turn' } }]);
});

test('a rule may fail a number of times before it answers, and failing uses nothing up', async () => {
  await using server = await modelServer({
    script: "agents: {'*': [{when: {turn: 1}, fault: {status: 429, times: 2, retryAfter: 3}, reply: at last}]}",
  });
  const statuses = [];
  for (let n = 0; n < 3; n++) {
    const response = await server.post('/v1/messages', from('a', 'x'));
    statuses.push([response.status, response.headers.get('retry-after')]);
  }
  expect(statuses).toEqual([
    [429, '3'],
    [429, '3'],
    [200, null],
  ]);
  expect(server.log().at(-1)).toMatchObject({ rule: 'rule 1', reply: { content: [{ text: 'at last' }] } });
});

test('without a script everybody gets the same short text', async () => {
  await using server = await modelServer();
  expect(await ask(server, 'a', 'x')).toEqual(
    said('This is the model server without a script. It has nothing more to say.'),
  );
});

test.each([
  ['agents:\n  a:\n    - reply: [x\n', /^s\.yaml:4: /],
  ['agents: {a: [], a: []}', /^s\.yaml:1: Map keys must be unique/],
  ['agnts: {}', /^s\.yaml:1: agnts: there is no such field$/],
  ['- a', /^s\.yaml:1: Input should be a valid object$/],
  [
    'agents:\n  a:\n    - name: look\n      whne: {turn: 1}\n      reply: x',
    /^s\.yaml:4: a, rule 1 \(look\), whne: there is no such field$/,
  ],
  ['agents:\n  a:\n    - reply: x\n    - when: {turn: 1}', /^s\.yaml:4: a, rule 2, reply: Field required$/],
  [
    'agents:\n  a:\n    - reply:\n        - text: x\n        - toool: Read',
    /^s\.yaml:5: a, rule 1, reply\.1\.toool: there is no such field$/,
  ],
  [
    'agents:\n  a:\n    - reply:\n        - text: x\n          tool: Read',
    /^s\.yaml:4: a, rule 1, reply\.0: a block is one of `text`, `thinking`, `tool` with its `input`, or `search` with what is `found`$/,
  ],
  [
    "agents:\n  a:\n    - when:\n        user: '('\n      reply: x",
    /^s\.yaml:4: a, rule 1, when\.user: Invalid regular expression: .*$/,
  ],
  ['agents:\n  a:\n    - reply: x\n      stop: soon', /^s\.yaml:4: a, rule 1, stop: Input should be 'end_turn' or /],
  [
    'agents:\n  a:\n    - reply: x\n      fault: {times: 2}',
    /^s\.yaml:4: a, rule 1, fault: a fault is one of `status`, `stream`, `stop`, `promptTooLong`, or a pace$/,
  ],
  [
    'agents:\n  a:\n    - name: look\n      reply: x\n    - when:\n        used: {rule: loook, times: 1}\n      reply: y',
    /^s\.yaml:6: a, rule 2, when\.used\.rule: a has no rule "loook"\. Did you mean "look"\?$/,
  ],
  [
    'agents:\n  a:\n    - {name: x, reply: x}\n    - {name: x, reply: y}',
    /^s\.yaml:4: a, rule 2 \(x\), name: another rule of a has this name$/,
  ],
])('the script %j is refused with file, line and rule', (text, words) => {
  expect(() => parseScript(text, 's.yaml')).toThrow(
    expect.objectContaining({ name: 'UserError', message: expect.stringMatching(words) }),
  );
});
