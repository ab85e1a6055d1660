import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import {
  CATALOGUE,
  costOf,
  isKnownModel,
  knownModels,
  modelFacts,
  resolveModel,
  useModels,
} from '../../src/model/catalogue.js';
import { useOwnModels } from '../../src/model/userModels.js';
import { tempDir } from '../helpers/tempDir.js';

afterEach(() => useModels(CATALOGUE));

const million = { input: 1e6, output: 1e6, cacheRead: 1e6, cacheWrite: 1e6 };

async function withModels(content: unknown) {
  await using dir = await tempDir();
  const file = join(dir.path, 'models.json');
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  await useOwnModels(file);
}

test('a model of one’s own has its alias, its limits and its prices, and careful defaults for the rest', async () => {
  await withModels({
    models: [
      { id: 'house/large', aliases: ['sonnet', 'large'], contextWindow: 500_000, prices: { input: 3, output: 7 } },
    ],
  });
  expect(resolveModel('large')).toBe('house/large');
  expect(isKnownModel('house/large')).toBe(true);
  const { contextWindow, maxOutput, thinking } = modelFacts('house/large');
  expect({ contextWindow, maxOutput, thinking }).toEqual({ contextWindow: 500_000, maxOutput: 32_000, thinking: [] });
  // 3 in, 7 out, a tenth of 3 for reads, 1.25 times 3 for writes.
  expect(costOf('house/large', million)).toBeCloseTo(3 + 7 + 0.3 + 3.75, 10);
});

test('one’s own aliases and prices win over the built-in ones, and everything else stays', async () => {
  await withModels({
    models: [
      { id: 'claude-opus-5', aliases: ['opus'], prices: { input: 1, output: 2, cacheRead: 0.5, cacheWrite1h: 4 } },
    ],
  });
  expect(resolveModel('opus')).toBe('claude-opus-5');
  expect(costOf('claude-opus-5', million, 400_000)).toBeCloseTo(1 + 2 + 0.5 + 0.6 * 1.25 + 0.4 * 4, 10);
  expect(modelFacts('claude-opus-5').thinksAtTopEffort).toBe(true);
  expect(costOf('claude-opus-5-5', million)).toBeCloseTo(4 + 20 + 0.2 + 5, 10);
  expect(knownModels()).toHaveLength(CATALOGUE.length);
});

test('one’s own prices hold for long prompts too, unless these have their own', async () => {
  const long = { ...million, input: 0, output: 0, cacheWrite: 0 };
  await withModels({ models: [{ id: 'claude-haiku-5-5', prices: { input: 1, output: 1 } }] });
  expect(costOf('claude-haiku-5-5', long)).toBeCloseTo(0.1, 10);
  await withModels({
    models: [{ id: 'claude-haiku-5-5', longPrompt: { above: 10, prices: { input: 9, output: 9 } } }],
  });
  expect(costOf('claude-haiku-5-5', long)).toBeCloseTo(0.9, 10);
});

test('without such a file the built-in models hold again', async () => {
  await withModels({ models: [{ id: 'mine' }] });
  await useOwnModels('/nowhere/models.json');
  expect(isKnownModel('mine')).toBe(false);
  expect(knownModels()).toBe(CATALOGUE);
});

test.each([
  ['{"models": [', /models\.json is not JSON/],
  ['{"models": [{"aliases": ["x"]}]}', /models\.json is not what it should be:\n.*it needs an id\n.*models\[0\]\.id/],
  ['{"models": [{"id": "x", "price": 3}]}', /models\.json is not what it should be:\n.*there is no field price\n/],
])('the file %j is refused by its name', async (content, words) => {
  await expect(withModels(content)).rejects.toThrow(words);
});
