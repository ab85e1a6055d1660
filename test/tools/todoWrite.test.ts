import { expect, test } from 'vitest';
import { createTodoWriteTool } from '../../src/tools/todoWrite.js';
import { textOf, toolContext } from './context.js';

const tool = createTodoWriteTool();
const write = (...todos: [content: string, status: string][]) =>
  textOf(
    tool,
    { todos: todos.map(([content, status]) => ({ content, status, activeForm: `${content}…` })) },
    toolContext('/'),
  );

test('TodoWrite: says what is done and what comes', async () => {
  expect(await write(['a', 'completed'], ['b', 'in_progress'], ['c', 'pending'])).toBe('1 of 3 completed. Now: b');
  expect(await write(['a', 'pending'])).toBe('0 of 1 completed. Next: a');
  expect(await write(['a', 'completed'])).toBe('All is completed.');
  expect(await write()).toBe('The list is empty now.');
});

test('TodoWrite: tells who shows the list, of each that is right', async () => {
  const shown: unknown[] = [];
  const telling = createTodoWriteTool(async (todos) => void shown.push(todos));
  const list = [{ content: 'a', status: 'pending', activeForm: 'doing a' }];
  await textOf(telling, { todos: list }, toolContext('/'));
  await expect(textOf(telling, { todos: [...list, ...list] }, toolContext('/'))).rejects.toThrow('Two to-dos');
  expect(shown).toEqual([list]);
});

test('TodoWrite: takes one step at a time, each once and whole', async () => {
  await expect(write(['a', 'in_progress'], ['b', 'in_progress'])).rejects.toThrow('2 to-dos are in_progress');
  await expect(write(['a', 'pending'], ['a', 'completed'])).rejects.toThrow('Two to-dos say "a"');
  await expect(write(['a', 'done'])).rejects.toThrow(/todos\.0\.status: .*"pending"\|"in_progress"\|"completed"/);
});
