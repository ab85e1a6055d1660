import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isBlocked } from '../../src/tasks/task.js';
import { openTaskList } from '../../src/tasks/taskList.js';
import { tempDir } from '../helpers/tempDir.js';

const MEMBERS = ['alice', 'bob', 'carol'];

test('of many that claim at once each task goes to one, and no blocked task to anybody', {
  timeout: 120_000,
}, async () => {
  const edges = fc.array(fc.tuple(fc.nat(4), fc.nat(4)), { maxLength: 6 });
  const claims = fc.array(fc.tuple(fc.constantFrom(...MEMBERS), fc.nat(4), fc.boolean()), { maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(edges, claims, async (wanted, attempts) => {
      await using dir = await tempDir();
      const tasks = openTaskList(dir.path);
      for (let n = 0; n < 5; n++) await tasks.create({ subject: `${n}`, description: '' });
      for (const [a, b] of wanted) await tasks.update(`${a + 1}`, { addBlocks: [`${b + 1}`] }).catch(() => {});
      const before = await tasks.list();

      const won = await Promise.all(
        attempts.map(async ([member, n, byOffer]) => {
          const list = openTaskList(dir.path);
          const task = byOffer
            ? await list.takeFor(member, 1)
            : await list.claim(`${n + 1}`, member, 1).catch(() => undefined);
          return task && { member, id: task.id };
        }),
      );

      for (const task of await tasks.list()) {
        const winners = new Set(won.filter((each) => each?.id === task.id).map((each) => each?.member));
        expect([...winners]).toEqual(task.owner === undefined ? [] : [task.owner]);
        if (task.owner !== undefined) expect(isBlocked(task, before)).toBe(false);
      }
      expect(hasRing(before)).toBe(false);
    }),
    { numRuns: 15 },
  );
});

function hasRing(tasks: readonly { id: string; blocks: readonly string[] }[]): boolean {
  const free = (left: typeof tasks) => left.filter(({ id }) => !left.some(({ blocks }) => blocks.includes(id)));
  let left = tasks;
  for (let next = free(left); next.length > 0; next = free(left)) left = left.filter((task) => !next.includes(task));
  return left.length > 0;
}
