import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { recoverTasks, taskStore } from '../../src/app/subagents/taskStore.js';
import { systemClock } from '../../src/host/clock.js';
import { makeFolder } from '../../src/store/spool.js';
import { type AgentRecord, openTaskFiles, openTasksIn, type TaskRecord } from '../../src/transcript/taskFiles.js';
import { fieldOf } from '../agent/background/taskBench.js';
import { tempDir } from '../helpers/tempDir.js';

async function session() {
  const dir = await tempDir();
  const at = (name: string) => join(dir.path, name);
  const folders = { agents: at('agents'), tasks: at('tasks'), notices: at('notices'), hookVariables: at('x') };
  for (const folder of Object.values(folders)) await makeFolder(folder);
  const paths = { ...folders, root: dir.path, record: at('session.json'), transcript: at('transcript.jsonl') };
  return { paths, files: openTaskFiles(folders), [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

const task = (id: string, more: Partial<TaskRecord> = {}): TaskRecord => ({
  id,
  type: 'agent',
  agentId: `agent-of-${id}`,
  toolUseId: `toolu_${id}`,
  description: 'look',
  status: 'running',
  backgrounded: true,
  startedAt: 0,
  progress: { latestInputTokens: 0, outputTokens: 0, toolUses: 0, recentActivities: [] },
  notified: false,
  outputFile: '/out',
  ...more,
});

const agent: AgentRecord = {
  agentId: 'agent-1',
  agentType: 'Explore',
  description: 'look',
  prompt: 'Look.',
  model: 'claude-opus-5-5',
  mode: 'default',
  cwd: '/',
  parent: 'team-lead',
  depth: 1,
  origin: 'fresh',
  status: 'running',
  startedAt: 0,
};

test('what ran when its process died is lost, says so, and each has its one notice', async () => {
  await using home = await session();
  await home.files.saveTask(task('a'));
  await home.files.saveTask(task('b', { backgrounded: false }));
  await home.files.saveTask(task('c', { status: 'completed', notified: true, result: 'told' }));
  await home.files.saveAgent(agent);
  const waiting = await recoverTasks(home.files, systemClock, new Set());
  expect(waiting.map(({ notice, wakes, mail }) => ({ notice, wakes, mail }))).toEqual([
    { notice: 'a', wakes: true, mail: ['a'] },
    { notice: 'b', wakes: true, mail: ['b'] },
  ]);
  expect(fieldOf(waiting[0]?.text, 'summary')).toContain('failed: lost with its process');
  expect(await home.files.tasks()).toMatchObject([
    { id: 'a', status: 'failed', error: 'lost with its process', notified: true },
    { id: 'b', status: 'failed', error: 'lost with its process', notified: true },
    { id: 'c', status: 'completed' },
  ]);
  expect(await home.files.agents()).toMatchObject([{ status: 'failed' }]);
});

test('a process that dies between the end of a task and its notice loses nothing, and tells nothing twice', async () => {
  await using home = await session();
  await home.files.saveTask(task('a', { status: 'completed', result: '42' }));
  await home.files.saveTask(task('b', { status: 'completed', notified: true }));
  await home.files.keepNotice('b', 'the notice of b');
  const first = await recoverTasks(home.files, systemClock, new Set());
  expect(first.map(({ notice }) => notice)).toEqual(['a', 'b']);
  expect(fieldOf(first[0]?.text, 'result')).toBe('42');
  // The transcript has it, but the process died before it took the notice away.
  const second = await recoverTasks(home.files, systemClock, new Set(['b']));
  expect(second.map(({ notice }) => notice)).toEqual(['a']);
  expect((await home.files.notices()).map(({ id }) => id)).toEqual(['a']);
});

test('open for a conversation is what runs beside it, and what it has not been told', async () => {
  await using home = await session();
  expect(await openTasksIn(home.paths)).toBe(0);
  await home.files.saveTask(task('running'));
  await home.files.saveTask(task('waited-for', { backgrounded: false }));
  await home.files.saveTask(task('decorated', { status: 'completed' }));
  await home.files.saveTask(task('on-its-way', { status: 'completed', notified: true }));
  await home.files.keepNotice('on-its-way', 'x');
  await home.files.saveTask(task('told', { status: 'completed', notified: true }));
  await writeFile(join(home.paths.tasks, 'broken.json'), '{');
  expect(await openTasksIn(home.paths)).toBe(3);
});

test('ids that would leave the folder are refused', async () => {
  await using home = await session();
  await expect(async () => home.files.saveTask(task('../../x'))).rejects.toThrow('is not the id');
  expect(() => home.files.keepNotice('a/b', 'x')).toThrow('is not the id');
});

test('a record is found by its id, its agent’s id or its name, the newest last', async () => {
  await using home = await session();
  const store = taskStore(home.paths, undefined);
  await store.save(task('a', { name: 'scout' }));
  for (const word of ['a', 'agent-of-a', 'scout']) expect(await store.load(word)).toMatchObject({ id: 'a' });
  expect(await store.load('nobody')).toBeUndefined();
});
