import { expect, test } from 'vitest';
import { systemClock } from '../../../src/host/clock.js';
import { eventually } from '../../helpers/eventually.js';
import { fakeClock } from '../../helpers/fakeClock.js';
import { AGENT, fieldOf, taskBench } from './taskBench.js';

const hangs = () => new Promise<never>(() => {});

test('the record is there before anything else happens, and says how it ended before the output is complete', async () => {
  const order: string[] = [];
  const { registry } = taskBench(fakeClock(), {
    save: async ({ status, notified }) => void order.push(notified ? 'notified' : status),
    openOutput: async (id) => ({
      path: id,
      write() {},
      lastLines: () => [],
      finish: async (text) => void order.push(`output: ${text}`),
      putFirst: async () => void order.push('warned'),
    }),
    keepNotice: async () => void order.push('notice'),
  });
  const task = await registry.begin(AGENT);
  await task.end({ status: 'completed', result: '42' });
  expect(order).toEqual(['running', 'output: 42', 'completed', 'notice', 'notified']);
});

test('a classifier and a worktree check that hang delay neither state nor output, and the notice by ten seconds, which it says', async () => {
  const clock = fakeClock();
  const { registry, saved, outputs, arrivals, events } = taskBench(clock);
  const task = await registry.begin(AGENT);
  const ending = task.end({ status: 'completed', result: '42' }, { classify: hangs, worktree: hangs });
  const { id } = await task.ended;
  expect(saved.get(id)).toMatchObject({ status: 'completed', result: '42', notified: false });
  expect(outputs.get(id)).toBe('42');
  expect(events.at(-1)).toMatchObject({ type: 'task_notification', task: { status: 'completed' } });
  await clock.advance(9_999);
  expect(arrivals).toEqual([]);
  await clock.advance(1);
  await ending;
  expect(arrivals).toHaveLength(1);
  expect(arrivals[0]?.text).toMatch(/worktree .*within 10 s[\s\S]*classifier did not answer within 10 s/);
});

test('a decoration that fails is named in the notice, and what the others found is in it', async () => {
  const { registry, arrivals } = taskBench(fakeClock());
  const task = await registry.begin(AGENT);
  await task.end(
    { status: 'completed', result: 'x' },
    {
      classify: () => Promise.reject(new Error('no model')),
      worktree: async () => ({ path: '/w', branch: 'troupe/w' }),
    },
  );
  const text = arrivals[0]?.text;
  expect(fieldOf(text, 'note')).toContain('no model');
  expect(fieldOf(text, 'worktree-path')).toBe('/w');
  expect(fieldOf(text, 'worktree-branch')).toBe('troupe/w');
});

test('six that end at once give six notices, each once, whatever else arrives', async () => {
  const { registry, arrivals, notices } = taskBench(systemClock);
  const tasks = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => registry.begin({ ...AGENT, toolUseId: `toolu_${n}` })));
  await Promise.all(
    tasks.flatMap((task) => [
      task.end({ status: 'completed', result: 'a' }),
      task.end({ status: 'failed', error: 'the second end does not count' }),
    ]),
  );
  expect(arrivals.map(({ notice }) => notice).sort()).toEqual(tasks.map((task) => task.record().id).sort());
  expect(arrivals.every(({ text, wakes }) => wakes && fieldOf(text, 'status') === 'completed')).toBe(true);
  expect(notices.size).toBe(6);
  await registry.delivered([...arrivals.slice(0, 5), { text: 'hello', from: 'other', mail: ['m1'], wakes: true }]);
  expect([...notices.keys()]).toEqual([arrivals[5]?.notice]);
  await registry.close();
});

test('one that its caller waits for gives no notice; moved to the background, it does', async () => {
  const { registry, arrivals, saved } = taskBench(fakeClock());
  const waited = await registry.begin({ ...AGENT, backgrounded: false });
  await waited.end({ status: 'completed', result: 'a' });
  const moved = await registry.begin({ ...AGENT, backgrounded: false });
  await moved.moveToBackground();
  await moved.moved;
  expect(saved.get(moved.record().id)).toMatchObject({ backgrounded: true, status: 'running' });
  await moved.end({ status: 'completed', result: 'b' });
  expect(arrivals.map(({ notice }) => notice)).toEqual([moved.record().id]);
});

test('one that has ended is forgotten three seconds after its notice was delivered, not before', async () => {
  const clock = fakeClock();
  const { registry, arrivals } = taskBench(clock);
  const task = await registry.begin({ ...AGENT, name: 'scout' });
  await task.end({ status: 'completed', result: 'a' });
  await clock.pass(60_000);
  for (const word of [task.record().id, 'agent-1', 'scout'])
    expect(registry.find(word)?.record()).toEqual(task.record());
  await registry.delivered(arrivals);
  await clock.advance(2_999);
  expect(registry.all()).toHaveLength(1);
  await clock.advance(1);
  expect(registry.all()).toEqual([]);
  expect(await registry.load(task.record().id)).toMatchObject({ status: 'completed', notified: true });
});

test('progress is written and told; what comes behind the end changes nothing', async () => {
  const { registry, saved, events } = taskBench(fakeClock());
  const task = await registry.begin(AGENT);
  const progress = { ...task.record().progress, toolUses: 3 };
  task.advance(progress);
  task.advance(progress);
  await task.end({ status: 'failed', error: 'down' });
  task.advance({ ...progress, toolUses: 9 });
  expect(events.map(({ type }) => type)).toEqual(['task_started', 'task_progress', 'task_notification']);
  expect(saved.get(task.record().id)).toMatchObject({ status: 'failed', progress: { toolUses: 3 } });
});

test('closing asks all that run to end and waits for it, but not for ever', async () => {
  const clock = fakeClock();
  const { registry, arrivals } = taskBench(clock);
  const good = await registry.begin(AGENT);
  const deaf = await registry.begin(AGENT);
  good.signal.addEventListener('abort', () => void good.end({ status: good.stopped()?.as ?? 'failed' }));
  let isClosed = false;
  const closing = registry.close().then(() => {
    isClosed = true;
  });
  await eventually(() => expect(arrivals).toHaveLength(1));
  expect(fieldOf(arrivals[0]?.text, 'status')).toBe('killed');
  expect(isClosed).toBe(false);
  await clock.advance(15_000);
  await closing;
  expect(deaf.signal.aborted).toBe(true);
});

test('one that is being begun while it is closed is ended too, and later ones are refused', async () => {
  let write = () => {};
  const written = new Promise<void>((resolve) => {
    write = resolve;
  });
  const { registry, saved } = taskBench(fakeClock(), {
    save: async (record) => {
      await written;
      saved.set(record.id, record);
    },
  });
  const beginning = registry.begin(AGENT);
  const closing = registry.close();
  await expect(registry.begin({ ...AGENT, toolUseId: 'toolu_2' })).rejects.toThrow('nothing is started any more');
  write();
  const task = await beginning;
  expect(task.stopped()).toEqual({ as: 'killed', because: undefined });
  await task.end({ status: 'killed' });
  await closing;
  expect([...saved.values()]).toMatchObject([{ status: 'killed' }]);
});

test('a disk that refuses is told; the conversation has its notice all the same', async () => {
  const { registry, arrivals, problems } = taskBench(fakeClock(), {
    openOutput: async (id) => ({
      path: id,
      write() {},
      lastLines: () => [],
      finish: () => Promise.reject(new Error('no space left')),
      putFirst: () => Promise.reject(new Error('no space left')),
    }),
    keepNotice: () => Promise.reject(new Error('no space left')),
  });
  const task = await registry.begin(AGENT);
  await task.end({ status: 'completed', result: '42' });
  expect(fieldOf(arrivals[0]?.text, 'result')).toBe('42');
  expect(problems).toEqual([expect.stringContaining('output'), expect.stringContaining('notice')]);
});
