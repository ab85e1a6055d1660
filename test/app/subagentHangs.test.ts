import { expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { fakeClock } from '../helpers/fakeClock.js';
import { subagentBench } from './subagentBench.js';

const hangs = () => new Promise<never>(() => {});

test('an agent that hangs while it gives back what it has is left behind, and what is left of it is given back', async () => {
  const clock = fakeClock();
  const done: string[] = [];
  await using bench = await subagentBench({
    clock,
    replies: [[{ hangs: true }]],
    given: {
      onStart: async () => () => {
        done.push('told');
        return hangs();
      },
      endChildren: async () => void done.push('children'),
    },
  });
  const calling = bench.call();
  await eventually(() => expect(bench.models()[0]?.requests).toHaveLength(1));
  bench.turn.abort();
  await eventually(() => expect(done).toEqual(['told']));
  await clock.advance(10_000);
  await clock.advance(4_000);
  await expect(calling).rejects.toThrow();
  expect(done).toEqual(['told', 'children']);
  expect(await bench.files.tasks()).toMatchObject([{ status: 'killed' }]);
});

test('an agent that is being started when its member ends is ended before it asks its model', async () => {
  let closing: Promise<void> | undefined;
  await using bench = await subagentBench({
    replies: [[{ hangs: true }]],
    given: {
      onEvent({ type }) {
        if (type === 'task_started') closing = bench.registry.close();
      },
    },
  });
  await bench.call({ runInBackground: true });
  await closing;
  expect(bench.models().flatMap(({ requests }) => requests)).toEqual([]);
  expect(await bench.files.tasks()).toMatchObject([{ status: 'killed' }]);
});

test('what is said to an agent in its last moment does not begin it anew when its member ends', async () => {
  let said: Promise<string | undefined> | undefined;
  await using bench = await subagentBench({
    given: {
      classify: async () => {
        said = bench.tell((await bench.files.agents())[0]?.agentId ?? '', 'And the other one?');
        await said;
        closing = bench.registry.close();
        return undefined;
      },
    },
  });
  let closing: Promise<void> | undefined;
  await bench.call({ runInBackground: true });
  await eventually(() => expect(closing).toBeDefined());
  await closing;
  expect(await said).toContain('reads your message');
  await eventually(async () => expect(await bench.files.agents()).toMatchObject([{ status: 'failed' }]));
  expect(bench.models()).toHaveLength(1);
});
