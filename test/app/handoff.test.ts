import { readFile, stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { fieldOf } from '../agent/background/taskBench.js';
import { eventually } from '../helpers/eventually.js';
import { fakeClock } from '../helpers/fakeClock.js';
import { subagentBench } from './subagentBench.js';

const WARNING = 'SECURITY WARNING: it pushed to main.';
const launched = (text: string) => JSON.parse(text) as { outputFile: string; agentId: string };

test('in the foreground the warning stands before the result, and at the head of the output file', async () => {
  await using bench = await subagentBench({
    replies: [[{ text: 'All done.' }]],
    given: { classify: async ({ agentType }) => (agentType === 'general-purpose' ? WARNING : undefined) },
  });
  expect(await bench.call()).toMatch(/^SECURITY WARNING: it pushed to main\.\nAll done\./);
  const [task] = await bench.files.tasks();
  expect(await readFile(task?.outputFile ?? '', 'utf8')).toMatch(
    /^SECURITY WARNING: it pushed to main\.\n\nAll done\./,
  );
  expect((await stat(task?.outputFile ?? '')).mode & 0o777).toBe(0o600);
});

test('in the background the state comes first; the notice waits for the warning', async () => {
  // It may be completed before it is judged.
  let judge: (warning: string) => void = () => {};
  const judgement = new Promise<string>((resolve) => {
    judge = resolve;
  });
  await using bench = await subagentBench({
    replies: [[{ text: 'All done.' }]],
    given: { classify: () => judgement },
  });
  const { agentId, outputFile } = launched(await bench.call({ runInBackground: true }));
  await eventually(() => expect(bench.registry.find(agentId)?.record().status).toBe('completed'));
  expect(bench.arrivals).toEqual([]);
  judge(WARNING);
  await eventually(() => expect(bench.arrivals).toHaveLength(1));
  expect(fieldOf(bench.arrivals[0]?.text ?? '', 'warning')).toBe(WARNING);
  expect(await readFile(outputFile, 'utf8')).toBe(`${WARNING}\n\nAll done.\n\nAll done.\n`);
});

test('what is clean is handed back as it is', async () => {
  await using bench = await subagentBench({
    replies: [[{ text: 'All done.' }]],
    given: { classify: async () => undefined },
  });
  expect(await bench.call()).toMatch(/^All done\.\n/);
});

test('a classifier that is not available blocks nothing: a note says to look for oneself', async () => {
  await using bench = await subagentBench({
    replies: [[{ text: 'All done.' }]],
    given: { classify: () => Promise.reject(new Error('overloaded')) },
  });
  expect(await bench.call()).toMatch(/^All done\.\n.*was not judged, so look at it yourself.*\(overloaded\)/s);
});

test('a classifier that hangs keeps the notice for ten seconds and no longer', async () => {
  const clock = fakeClock();
  await using bench = await subagentBench({
    clock,
    replies: [[{ text: 'All done.' }]],
    given: { classify: () => new Promise(() => {}) },
  });
  const { agentId } = launched(await bench.call({ runInBackground: true }));
  await eventually(() => expect(bench.registry.find(agentId)?.record().status).toBe('completed'));
  await clock.advance(9_999);
  expect(bench.arrivals).toEqual([]);
  await clock.advance(1);
  await eventually(() => expect(bench.arrivals).toHaveLength(1));
  expect(fieldOf(bench.arrivals[0]?.text ?? '', 'note')).toContain('did not answer within 10 s');
});
