import { expect, test } from 'vitest';
import { createLoopDetector } from '../../src/agent/loopDetection.js';
import type { ToolUseBlock } from '../../src/model/types.js';
import { bench, type Reply, shortOf, tool } from './harness.js';

const call = (input: unknown, name = 'Read'): ToolUseBlock => ({
  type: 'tool_use',
  id: 'toolu_1',
  name,
  input,
  caller: { type: 'direct' },
});
const kinds = (...steps: ToolUseBlock[][]) => {
  const detector = createLoopDetector();
  return steps.map((calls) => detector.step(calls).kind);
};

test('five times within ten steps is fine, the sixth is told, the seventh is the end', () => {
  const same = [call({ path: 'a' })];
  expect(kinds(same, same, same, same, same, same, same)).toEqual([...Array(5).fill('fine'), 'told', 'stopped']);
});

test('other calls in between change nothing, unless they push it out of the ten steps', () => {
  const other = (n: number) => [call({ path: `b${n}` })];
  const same = [call({ path: 'a' })];
  expect(kinds(same, same, other(1), same, other(2), same, other(3), same, same).at(-1)).toBe('told');
  const spread = Array.from({ length: 20 }, (_, n) => [same, other(n)]).flat();
  expect(new Set(kinds(...spread))).toEqual(new Set(['fine']));
});

test('the order of keys makes no difference, every other difference does', () => {
  const steps = [0, 1, 2, 3, 4, 5].map((n) => [
    n % 2 ? call({ a: 1, b: [{ c: 1, d: 2 }] }) : call({ b: [{ d: 2, c: 1 }], a: 1 }),
  ]);
  expect(kinds(...steps).at(-1)).toBe('told');
  expect(new Set(kinds(...[0, 1, 2, 3, 4, 5, 6].map((n) => [call({ n })])))).toEqual(new Set(['fine']));
  expect(kinds(...['A', 'B', 'A', 'B', 'A', 'B'].map((name) => [call({}, name)])).at(-1)).toBe('fine');
});

test('calls side by side in one response are one step', () => {
  const eight = Array.from({ length: 8 }, () => call({}));
  expect(kinds(eight)).toEqual(['fine']);
});

test('an agent that goes round in circles is told once, behind the results, and then stopped with its call not run', async () => {
  let runs = 0;
  const same: Reply = { text: 'again', calls: [{ name: 'Look', input: { at: 1 } }] };
  const agent = bench(Array(10).fill(same), [tool('Look', async () => `look ${++runs}`)]);
  expect(await agent.run()).toMatchObject({
    reason: 'failed',
    text: 'again',
    error: { message: /goes round in circles: Look/ },
  });
  expect(runs).toBe(6);
  expect(agent.told(6)).toEqual([
    'result: look 6',
    expect.stringMatching(/same call with the same input more than 5 times: Look/),
  ]);
  expect(shortOf(agent.history.at(-1))).toEqual([expect.stringMatching(/^error: This call was not run/)]);
});
