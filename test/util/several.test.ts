import { expect, test } from 'vitest';
import { several } from '../../src/util/several.js';

/** Work that ends when it is told to. */
function bench() {
  const begun: number[] = [];
  const ends = new Map<number, { resolve: (value: string) => void; reject: (error: Error) => void }>();
  const work = (item: number) => {
    begun.push(item);
    return new Promise<string>((resolve, reject) => ends.set(item, { resolve, reject }));
  };
  const end = async (item: number, failure?: Error) => {
    const { resolve, reject } = ends.get(item) ?? expect.fail(`${item} has not begun`);
    if (failure) reject(failure);
    else resolve(`done ${item}`);
    await new Promise(setImmediate);
  };
  return { begun, work, end };
}

test('no more than so many are at work at once, and the results come in the order of the items', async () => {
  const { begun, work, end } = bench();
  const results = several([1, 2, 3, 4], 2, work);
  expect(begun).toEqual([1, 2]);
  await end(2);
  expect(begun).toEqual([1, 2, 3]);
  await end(3);
  await end(4);
  await end(1);
  expect(await results).toEqual(['done 1', 'done 2', 'done 3', 'done 4']);
});

test('after a failure none is begun any more, and it is thrown when those at work are over', async () => {
  const { begun, work, end } = bench();
  let thrown: unknown;
  const results = several([1, 2, 3], 2, work).catch((error: unknown) => {
    thrown = error;
  });
  await end(1, new Error('no room'));
  expect({ begun, thrown }).toEqual({ begun: [1, 2], thrown: undefined });
  await end(2, new Error('nor for this'));
  await results;
  expect(begun).toEqual([1, 2]);
  expect(thrown).toEqual(new Error('no room'));
});

test('of nothing there are no results', async () => {
  expect(await several([], 3, async () => 1)).toEqual([]);
});
