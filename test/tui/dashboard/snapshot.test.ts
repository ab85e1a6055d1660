import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/host/clock.js';
import { systemIds } from '../../../src/host/ids.js';
import { createSnapshots, type FoundBoard } from '../../../src/tui/dashboard/snapshot.js';
import { DEAD, type TeamOnDisk, teamOnDisk } from '../../helpers/team.js';

function looking(red: TeamOnDisk) {
  let isGone = false;
  const snapshots = createSnapshots({
    find: async (): Promise<FoundBoard | undefined> =>
      isGone ? undefined : { team: await red.file.require(), state: 'running', paths: red.paths },
    transcript: (sessionId) => red.home.session(sessionId).transcript,
    clock: systemClock,
    ids: systemIds,
  });
  return { look: snapshots.read, goes: () => (isGone = true) };
}

const said = (role: 'user' | 'assistant', text: string) =>
  `${JSON.stringify({ uuid: text, parentUuid: null, sessionId: 's', isSidechain: false, type: role, timestamp: '', message: { role, content: text } })}\n`;

async function transcriptOf(red: TeamOnDisk, name: string): Promise<string> {
  const { members } = await red.file.require();
  const { transcript } = red.home.session(members.find((member) => member.name === name)?.sessionId ?? '');
  await mkdir(dirname(transcript), { recursive: true });
  return transcript;
}

test('a team is seen whole: members as they live, tasks with what they wait for, mail newest first, what waits', async () => {
  await using red = await teamOnDisk({ members: ['bob', 'ann'] });
  await red.writeRecord('bob', { state: 'working', waitingFor: 'question', questions: ['Which?'] });
  await red.writeRecord('ann', { ...DEAD, state: 'working', activity: 'Bash' });
  await red.tasks.create({ subject: 'First', description: '' });
  await red.tasks.create({ subject: 'Second', description: '', blockedBy: ['1'] });
  await red.inbox('bob').deliver({ from: 'user', text: 'old' });
  await red.inbox('ann').deliver({ from: 'bob', text: 'new\nand long', summary: 'new' });
  const id = systemIds.uuid();
  await red.requests.create({ id, kind: 'plan', from: 'ann', plan: 'Dig.' });
  const { look } = looking(red);
  const { members, tasks, messages, waiting, problem } = await look(undefined);
  expect(members.map(({ name, record }) => [name, record?.state, record?.activity])).toEqual([
    ['team-lead', undefined, undefined],
    ['bob', 'working', undefined],
    ['ann', 'terminated', undefined],
  ]);
  expect(tasks.map((task) => [task.id, task.waitsFor])).toEqual([
    ['1', []],
    ['2', ['1']],
  ]);
  expect(messages.map(({ from, to, summary, text }) => [from, to, summary, text])).toEqual([
    ['bob', 'ann', 'new', 'new\nand long'],
    ['user', 'bob', 'old', 'old'],
  ]);
  expect(waiting.map(({ kind, from }) => [kind, from])).toEqual([
    ['request', 'ann'],
    ['question', 'bob'],
  ]);
  expect(problem).toBeUndefined();
});

test('each change on disk is seen at the next look', async () => {
  await using red = await teamOnDisk({ members: ['bob'] });
  const { look } = looking(red);
  const seen = async () => {
    const { tasks, messages, waiting } = await look(undefined);
    return [tasks.map(({ status }) => status).join(), messages.length, waiting.length];
  };
  expect(await seen()).toEqual(['', 0, 0]);
  await red.tasks.create({ subject: 'x', description: '' });
  expect(await seen()).toEqual(['pending', 0, 0]);
  await red.tasks.update('1', { status: 'completed' });
  expect(await seen()).toEqual(['completed', 0, 0]);
  await red.inbox('bob').deliver({ from: 'user', text: 'x' });
  expect(await seen()).toEqual(['completed', 1, 0]);
  await red.inbox('bob').fold();
  expect(await seen()).toEqual(['completed', 1, 0]);
  const id = systemIds.uuid();
  await red.requests.create({ id, kind: 'plan', from: 'bob', plan: 'x' });
  expect(await seen()).toEqual(['completed', 1, 1]);
  await red.requests.answer({ id, by: 'user', approve: true });
  expect(await seen()).toEqual(['completed', 1, 0]);
});

test('the transcript of the chosen member is followed, and another one when another is chosen', async () => {
  await using red = await teamOnDisk({ members: ['bob'] });
  const { look } = looking(red);
  expect((await look('bob')).transcript.lines).toEqual([]);
  const bob = await transcriptOf(red, 'bob');
  await writeFile(bob, said('user', 'Begin.'));
  expect((await look('bob')).transcript.lines).toEqual(['> Begin.']);
  await appendFile(bob, `${said('assistant', 'One.\nTwo.')}{"torn`);
  const { transcript } = await look('bob');
  expect(transcript.lines).toEqual(['> Begin.', 'One.', 'Two.']);
  expect((await look('bob')).transcript).toBe(transcript);
  await writeFile(await transcriptOf(red, 'team-lead'), said('user', 'Lead.'));
  expect((await look('nobody')).transcript.lines).toEqual(['> Lead.']);
  expect((await look('bob')).transcript.lines).toHaveLength(3);
});

test('of a long transcript only the end is read', async () => {
  await using red = await teamOnDisk();
  await writeFile(await transcriptOf(red, 'team-lead'), said('assistant', 'x'.repeat(100)).repeat(3000));
  const { transcript } = await looking(red).look(undefined);
  expect(transcript.isCut).toBe(true);
  expect(transcript.lines.length).toBeGreaterThan(500);
  expect(transcript.lines.length).toBeLessThan(2500);
});

test('a file that cannot be read is told, and the rest is shown', async () => {
  await using red = await teamOnDisk({ members: ['bob', 'ann'] });
  await writeFile(red.paths.runRecord('bob'), 'no json');
  await red.writeRecord('ann', { state: 'idle' });
  const { members, problem } = await looking(red).look(undefined);
  expect(problem).toContain('is not JSON');
  expect(members.map(({ name, record }) => [name, record?.state])).toEqual([
    ['team-lead', undefined],
    ['bob', undefined],
    ['ann', 'idle'],
  ]);
});

test('a team that is gone for good stays as it was last seen, with nothing that waits', async () => {
  await using red = await teamOnDisk({ members: ['bob'] });
  await red.inbox('bob').deliver({ from: 'user', text: 'x' });
  await red.requests.create({ id: systemIds.uuid(), kind: 'plan', from: 'bob', plan: 'x' });
  const { look, goes } = looking(red);
  expect(await look(undefined)).toMatchObject({ state: 'running', waiting: [{}] });
  await rm(join(red.paths.root), { recursive: true });
  goes();
  expect(await look(undefined)).toMatchObject({ state: 'archived', messages: [{ text: 'x' }], waiting: [] });
});
