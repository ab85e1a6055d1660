import { expect, test } from 'vitest';
import { failedRun } from '../../src/app/run/failedRun.js';
import { checkerOf, pathOf, publishedSchema } from '../helpers/schemas.js';

// After a wanted change: npx vitest run --project unit test/headless/schemas.test.ts -u
test.each(['result', 'stream'] as const)(
  'the published schema of a %s is the one that the program has',
  async (name) => {
    await expect(`${JSON.stringify(publishedSchema(name), null, 2)}\n`).toMatchFileSnapshot(pathOf(name));
  },
);

test('a result of a run that never began fits both schemas', async () => {
  const result = failedRun('No.', 2);
  (await checkerOf('result'))(result);
  (await checkerOf('stream'))(result);
});

test('what is no result fits neither schema', async () => {
  const { session_id: _, ...rest } = failedRun('No.', 2);
  for (const name of ['result', 'stream'] as const) {
    const check = await checkerOf(name);
    expect(() => check(rest)).toThrow();
    expect(() => check({ ...failedRun('No.', 2), subtype: 'fine' })).toThrow();
  }
});
