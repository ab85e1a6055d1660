import { expect, test } from 'vitest';
import { FORK_PLACEHOLDER, forkConversation, isForked, refuseForkInFork, refusingTools } from '../../src/agent/fork.js';
import type { ContentBlockParam, MessageParam } from '../../src/model/types.js';
import { problemIn } from '../../src/modelServer/check/check.js';
import { MODEL, tool } from './harness.js';

const user = (...content: ContentBlockParam[]): MessageParam => ({ role: 'user', content });
const assistant = (...content: ContentBlockParam[]): MessageParam => ({ role: 'assistant', content });
const text = (words: string): ContentBlockParam => ({ type: 'text', text: words });
const use = (id: string, name = 'Agent'): ContentBlockParam => ({ type: 'tool_use', id, name, input: {} });
const result = (id: string): ContentBlockParam => ({ type: 'tool_result', tool_use_id: id, content: 'r' });

const PARENT: MessageParam[] = [
  user(text('first task')),
  assistant(text('looking'), use('a', 'Read'), use('lost', 'Read')),
  user(result('a')),
  assistant(text('done')),
  user(text('second task')),
  assistant(text('I fork.'), use('f1'), use('f2'), use('g', 'Read')),
];
const messagesOf = ({ history, prompt }: ReturnType<typeof forkConversation>) => [...history, user(...prompt)];

test('a fork knows all that was said, its parent’s newest message whole, one placeholder for every call, then its directive', () => {
  const { history, prompt } = forkConversation(PARENT, 'Count the files.');
  expect(history.at(-1)).toEqual(PARENT.at(-1));
  expect(prompt.slice(0, -1)).toEqual(
    ['f1', 'f2', 'g'].map((id) => ({ type: 'tool_result', tool_use_id: id, content: FORK_PLACEHOLDER })),
  );
  const directive = prompt.at(-1);
  expect(directive?.type === 'text' && directive.text).toMatch(
    /^<fork-directive>\n[\s\S]*500 words[\s\S]*"Scope:"[\s\S]*\n\nCount the files\.\n<\/fork-directive>$/,
  );
});

test('of earlier messages, calls without a result are dropped, so that the API takes the conversation', () => {
  const { history } = forkConversation(PARENT, 'x');
  expect(history[1]).toEqual(assistant(text('looking'), use('a', 'Read')));
  const tools = [tool('Agent', async () => '').schema, tool('Read', async () => '').schema];
  const open = [user(text('a')), assistant(use('only')), user(text('b')), ...PARENT];
  for (const parent of [PARENT, open, PARENT.slice(0, 3), PARENT.slice(0, 5), []])
    expect(
      problemIn({ model: MODEL, max_tokens: 10, tools, messages: messagesOf(forkConversation(parent, 'x')) }),
    ).toBeUndefined();
});

test('with "turn" it knows what was said since the last human message', () => {
  expect(forkConversation(PARENT, 'x', 'turn').history).toEqual(PARENT.slice(4));
});

test('all forks of one turn are identical up to the directive', () => {
  const [a, b] = ['one', 'two'].map((directive) => forkConversation(PARENT, directive));
  expect(JSON.stringify([a?.history, a?.prompt.slice(0, -1)])).toBe(
    JSON.stringify([b?.history, b?.prompt.slice(0, -1)]),
  );
  expect(a?.prompt.at(-1)).not.toEqual(b?.prompt.at(-1));
});

test('what a fork is told and says does not reach its parent’s history', () => {
  const parent = structuredClone(PARENT);
  forkConversation(parent, 'x').history.push(user(text('more')));
  forkConversation(parent, 'x').history[0] = user(text('other'));
  expect(parent).toEqual(PARENT);
});

test('a fork in a fork is refused by where its session comes from alone', () => {
  expect(() => refuseForkInFork({ isFork: true, history: [] })).toThrow(/You are a fork yourself/);
  expect(() => refuseForkInFork({ isFork: false, history: PARENT })).not.toThrow();
});

test('a fork in a fork is refused by the marker in its history alone', () => {
  const history = messagesOf(forkConversation(PARENT, 'x'));
  expect(() => refuseForkInFork({ isFork: false, history })).toThrow(/conversation is that of a fork/);
});

test('a marker that is only quoted makes no fork', () => {
  expect(isForked([user({ type: 'tool_result', tool_use_id: 'a', content: '<fork-directive>' })])).toBe(false);
  expect(isForked([user(text('what does <fork-directive> mean?')), assistant(text('<fork-directive> is …'))])).toBe(
    false,
  );
});

test('a fork’s tools look as its parent’s do; those that are not its own refuse at the call', async () => {
  const parent = ['Agent', 'Read', 'AskUserQuestion', 'TaskStop'].map((name) => tool(name, async () => 'ran'));
  const tools = refusingTools(parent, new Set(['Read']));
  expect(JSON.stringify(tools.map(({ schema }) => schema))).toBe(JSON.stringify(parent.map(({ schema }) => schema)));
  const context = {} as Parameters<(typeof tools)[number]['prepare']>[1];
  for (const { name, prepare } of tools) {
    if (name === 'Read') expect(await prepare({}, context).run()).toEqual({ content: 'ran' });
    else expect(() => prepare({}, context)).toThrow(`${name} is not yours to use: you are a fork`);
  }
});
