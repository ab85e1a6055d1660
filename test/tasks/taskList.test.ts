import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withLock } from '../../src/store/lock.js';
import { openTaskList, type TaskList } from '../../src/tasks/taskList.js';
import { tempDir } from '../helpers/tempDir.js';

async function taskFolder() {
  const dir = await tempDir();
  const add = (tasks: TaskList, subject: string, more: { owner?: string; blockedBy?: string[] } = {}) =>
    tasks.create({ subject, description: '', ...more });
  return { path: dir.path, tasks: openTaskList(dir.path), add, [Symbol.asyncDispose]: dir[Symbol.asyncDispose] };
}

test('ids count up and are never used twice, not even that of a removed task', async () => {
  await using dir = await taskFolder();
  const { tasks, add } = dir;
  expect((await add(tasks, 'a')).id).toBe('1');
  expect((await add(tasks, 'b')).id).toBe('2');
  await tasks.remove('2');
  expect((await add(openTaskList(dir.path), 'c')).id).toBe('3');
  await writeFile(join(dir.path, '.highwater'), 'torn');
  expect((await add(tasks, 'd')).id).toBe('4');
});

test('a created task is a file that says all of it', async () => {
  await using dir = await taskFolder();
  await dir.tasks.create({
    subject: 'a',
    description: 'about a',
    activeForm: 'doing a',
    owner: 'alice',
    metadata: { size: 3 },
  });
  expect(JSON.parse(await readFile(join(dir.path, '1.json'), 'utf8'))).toEqual({
    id: '1',
    subject: 'a',
    description: 'about a',
    activeForm: 'doing a',
    status: 'pending',
    owner: 'alice',
    assigned: true,
    blocks: [],
    blockedBy: [],
    metadata: { size: 3 },
  });
  expect((await readdir(dir.path)).sort()).toEqual(['.highwater', '1.json']);
});

test('processes that create at once get different ids', async () => {
  await using dir = await taskFolder();
  const made = await Promise.all(Array.from({ length: 10 }, (_, n) => dir.add(openTaskList(dir.path), `${n}`)));
  expect(new Set(made.map(({ id }) => id)).size).toBe(10);
});

test('an edge is known at both its ends, also when a crash left it at one', async () => {
  await using dir = await taskFolder();
  const { tasks, add } = dir;
  await add(tasks, 'a');
  await add(tasks, 'b', { blockedBy: ['1'] });
  expect((await tasks.list()).map(({ blocks, blockedBy }) => ({ blocks, blockedBy }))).toEqual([
    { blocks: ['2'], blockedBy: [] },
    { blocks: [], blockedBy: ['1'] },
  ]);
  const file = join(dir.path, '2.json');
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), blockedBy: [] }));
  expect((await tasks.get('2'))?.blockedBy).toEqual(['1']);
  await tasks.remove('1');
  expect((await tasks.get('2'))?.blockedBy).toEqual([]);
});

test('tasks cannot wait for each other, however long the way, nor for themselves or for none', async () => {
  await using dir = await taskFolder();
  const { tasks, add } = dir;
  await add(tasks, 'a');
  await add(tasks, 'b', { blockedBy: ['1'] });
  await add(tasks, 'c', { blockedBy: ['2'] });
  await expect(tasks.update('1', { addBlockedBy: ['3'] })).rejects.toThrow(
    'they would wait for each other (3 → 1 → 2 → 3)',
  );
  await expect(tasks.update('3', { addBlocks: ['1'] })).rejects.toThrow(/each other/);
  await expect(tasks.update('1', { addBlocks: ['1'] })).rejects.toThrow(/each other/);
  await expect(tasks.update('1', { addBlocks: ['9'] })).rejects.toThrow('No task "9". Tasks: 1, 2, 3.');
  await expect(add(tasks, 'd', { blockedBy: ['9'] })).rejects.toThrow(/No task "9"/);
  expect((await tasks.get('1'))?.blockedBy).toEqual([]);
});

test('an update says what changed, and no more', async () => {
  await using dir = await taskFolder();
  const { tasks, add } = dir;
  await add(tasks, 'a');
  await add(tasks, 'b');
  const { updatedFields, statusChange, task } = await tasks.update('1', {
    subject: 'a',
    status: 'in_progress',
    addBlocks: ['2'],
    metadata: { keep: 1, drop: 2 },
    description: undefined,
  });
  expect({ updatedFields: [...updatedFields].sort(), statusChange }).toEqual({
    updatedFields: ['blocks', 'metadata', 'status'],
    statusChange: { from: 'pending', to: 'in_progress' },
  });
  expect(task.metadata).toEqual({ keep: 1, drop: 2 });
  expect((await tasks.update('1', { metadata: { drop: null } })).task.metadata).toEqual({ keep: 1 });
  expect((await tasks.update('1', {})).updatedFields).toEqual([]);
});

test('a task that waits for another, is done, or is somebody else’s cannot be claimed; its own claim can be repeated', async () => {
  await using dir = await taskFolder();
  const { tasks, add } = dir;
  await add(tasks, 'a');
  await add(tasks, 'b', { blockedBy: ['1'] });
  await expect(tasks.claim('2', 'alice', 1)).rejects.toThrow('Task 2 waits for 1 (a)');
  expect(await tasks.claim('1', 'alice', 1)).toMatchObject({ owner: 'alice', ownerGeneration: 1, status: 'pending' });
  await tasks.claim('1', 'ALICE', 1);
  await expect(tasks.claim('1', 'bob', 1)).rejects.toThrow(/belongs to ALICE/);
  await expect(tasks.update('1', { owner: 'bob', ownerGeneration: 1 })).rejects.toThrow(/belongs to ALICE/);
  await tasks.update('1', { status: 'completed' });
  await expect(tasks.claim('1', 'alice', 1)).rejects.toThrow(/completed already/);
  await tasks.claim('2', 'bob', 1);
});

test('a member’s later run takes its earlier claim over, never the other way round', async () => {
  await using dir = await taskFolder();
  await dir.add(dir.tasks, 'a');
  await dir.tasks.claim('1', 'alice', 1);
  expect(await dir.tasks.claim('1', 'alice', 2)).toMatchObject({ ownerGeneration: 2 });
  await expect(dir.tasks.claim('1', 'alice', 1)).rejects.toThrow(/later run/);
});

test('a member is offered its own tasks before anybody’s, the lowest first, and nothing that is blocked or taken', async () => {
  await using dir = await taskFolder();
  const { tasks, add } = dir;
  await add(tasks, 'free');
  await add(tasks, 'for bob', { owner: 'bob' });
  await add(tasks, 'for alice', { owner: 'alice' });
  await add(tasks, 'later', { blockedBy: ['3'] });
  expect((await tasks.takeable()).map(({ id }) => id)).toEqual(['1', '2', '3']);
  expect(await tasks.takeFor('Alice', 1)).toMatchObject({
    id: '3',
    owner: 'Alice',
    ownerGeneration: 1,
    status: 'pending',
  });
  expect(await tasks.takeFor('alice', 1)).toMatchObject({ id: '1' });
  expect(await tasks.takeFor('alice', 1)).toBeUndefined();
  expect((await tasks.takeable()).map(({ id }) => id)).toEqual(['2']);
});

test('a dead member’s claims are void: what it took is nobody’s, what it was given stays its own', async () => {
  await using dir = await taskFolder();
  const { tasks, add } = dir;
  await add(tasks, 'given', { owner: 'alice' });
  await add(tasks, 'taken');
  await add(tasks, 'done');
  await add(tasks, 'of another');
  for (const id of ['1', '2', '3']) await tasks.claim(id, 'alice', 1);
  await tasks.claim('4', 'bob', 1);
  await tasks.update('2', { status: 'in_progress' });
  await tasks.update('3', { status: 'completed' });
  expect((await tasks.releaseOf('alice')).map(({ id }) => id)).toEqual(['1', '2']);
  expect((await tasks.list()).map(({ owner, ownerGeneration, status }) => [owner, ownerGeneration, status])).toEqual([
    ['alice', undefined, 'pending'],
    [undefined, undefined, 'pending'],
    ['alice', 1, 'completed'],
    ['bob', 1, 'pending'],
  ]);
});

test('a task can be given to somebody else, and to nobody', async () => {
  await using dir = await taskFolder();
  await dir.add(dir.tasks, 'a');
  await dir.tasks.claim('1', 'alice', 1);
  const { task } = await dir.tasks.update('1', { owner: 'bob' });
  expect(task).toMatchObject({ owner: 'bob', assigned: true });
  expect(task).not.toHaveProperty('ownerGeneration');
  expect((await dir.tasks.update('1', { owner: '' })).task).not.toHaveProperty('owner');
});

test('a broken file is listed as broken, hides no other task, and its id stays taken', async () => {
  await using dir = await taskFolder();
  await dir.add(dir.tasks, 'a');
  await writeFile(join(dir.path, '2.json'), '{"id": "2", "subj');
  expect((await dir.tasks.list()).map(({ id }) => id)).toEqual(['1']);
  expect(await dir.tasks.broken()).toEqual([
    { path: join(dir.path, '2.json'), reason: expect.stringContaining('2.json is not JSON') },
  ]);
  expect((await dir.add(dir.tasks, 'b')).id).toBe('3');
});

test('an id that is a path reaches no file, and a list that is gone is not made again', async () => {
  await using dir = await taskFolder();
  await mkdir(join(dir.path, 'tasks'));
  await writeFile(join(dir.path, 'secret.json'), '{}');
  const tasks = openTaskList(join(dir.path, 'tasks'));
  expect(await tasks.get('../secret')).toBeUndefined();
  await expect(tasks.remove('../secret')).rejects.toThrow(/No task/);
  const gone = openTaskList(join(dir.path, 'gone'));
  expect(await gone.list()).toEqual([]);
  await expect(dir.add(gone, 'late')).rejects.toThrow(/ENOENT/);
});

test('a member that looks for a task where there is none waits for nobody', async () => {
  await using dir = await taskFolder();
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const held = withLock(dir.path, () => gate, join(dir.path, '.lock'));
  expect(await dir.tasks.takeFor('alice', 1)).toBeUndefined();
  release();
  await held;
});

test('a member that looks again opens no file of a list that is as it was, and sees the next change', async () => {
  await using dir = await taskFolder();
  await dir.add(dir.tasks, 'one', { owner: 'bob' });
  const path = join(dir.path, '1.json');
  await utimes(path, 1000, 1000);
  expect(await dir.tasks.takeFor('alice', 1)).toBeUndefined();
  const file = await readFile(path, 'utf8');
  await writeFile(path, file.replace('"bob"', '"ali"'));
  await utimes(path, 1000, 1000);
  expect(await dir.tasks.takeFor('ali', 1)).toBeUndefined();
  await utimes(path, 1001, 1001);
  expect(await dir.tasks.takeFor('ali', 1)).toMatchObject({ id: '1', owner: 'ali' });
});
