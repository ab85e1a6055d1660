import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openRequests } from '../../src/team/requests.js';
import { fakeClock } from '../helpers/fakeClock.js';
import { tempDir } from '../helpers/tempDir.js';

const A = 'aaaaaaaa-0000-4000-8000-000000000001';
const B = 'aaaabbbb-0000-4000-8000-000000000002';
const C = 'cccccccc-0000-4000-8000-000000000003';

test('what is asked waits, oldest first, until it is answered', async () => {
  await using dir = await tempDir();
  const clock = fakeClock(1000);
  const requests = openRequests(dir.path, clock);
  await requests.create({ id: B, kind: 'plan', from: 'alice', plan: 'do it' });
  await clock.pass(1);
  await requests.create({ id: A, kind: 'permission', from: 'bob', tool: 'Bash', input: { command: 'ls' } });
  expect(await requests.open()).toEqual([
    { id: B, kind: 'plan', from: 'alice', plan: 'do it', createdAt: 1000 },
    { id: A, kind: 'permission', from: 'bob', tool: 'Bash', input: { command: 'ls' }, createdAt: 1001 },
  ]);
  await requests.answer({ id: B, by: 'user', approve: true, mode: 'acceptEdits' });
  expect((await openRequests(dir.path, clock).open()).map(({ id }) => id)).toEqual([A]);
  expect(await requests.answerOf(B)).toEqual({ id: B, at: 1001, by: 'user', approve: true, mode: 'acceptEdits' });
  expect(await requests.answerOf(A)).toBeUndefined();
});

test('of many answers at once the first wins, and the others are told whose it was', async () => {
  await using dir = await tempDir();
  const requests = openRequests(dir.path, fakeClock());
  await requests.create({ id: A, kind: 'plan', from: 'alice' });
  const answers = await Promise.allSettled(
    Array.from({ length: 8 }, (_, n) =>
      openRequests(dir.path, fakeClock()).answer({ id: A, by: `m${n}`, approve: n % 2 === 0 }),
    ),
  );
  const won = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  expect(won).toEqual([await requests.answerOf(A)]);
  const verdict = won[0]?.approve ? 'approved' : 'rejected';
  for (const answer of answers) {
    if (answer.status === 'rejected')
      expect(answer.reason.message).toContain(`of alice was ${verdict} already, by ${won[0]?.by}.`);
  }
  expect((await readdir(dir.path)).sort()).toEqual([`${A}.answer.json`, `${A}.json`]);
});

test('the beginning of an id is enough where it means one request', async () => {
  await using dir = await tempDir();
  const requests = openRequests(dir.path, fakeClock());
  await expect(requests.find('aaaa', 'plan')).rejects.toThrow('No open plan request "aaaa". None waits.');
  await requests.create({ id: A, kind: 'plan', from: 'alice' });
  await requests.create({ id: B, kind: 'plan', from: 'bob' });
  await requests.create({ id: C, kind: 'permission', from: 'carol' });
  expect((await requests.find('AAAAB', 'plan')).id).toBe(B);
  await expect(requests.find('aaaa', 'plan')).rejects.toThrow(`more than one plan request: ${A} (alice), ${B} (bob)`);
  await expect(requests.find('c', 'plan')).rejects.toThrow(`Waiting: ${A} (alice), ${B} (bob).`);
  await expect(requests.find('', 'permission')).rejects.toThrow(/No open permission request/);
  await requests.answer({ id: C, by: 'user', approve: false });
  await expect(requests.find(C, 'permission')).rejects.toThrow(/carol was denied already, by user/);
});

test('an id that is no UUID reaches no file', async () => {
  await using dir = await tempDir();
  await mkdir(join(dir.path, 'requests'));
  await writeFile(join(dir.path, 'x.json'), '{}');
  const requests = openRequests(join(dir.path, 'requests'), fakeClock());
  await expect(requests.create({ id: '../x', kind: 'plan', from: 'alice' })).rejects.toThrow(/must be a UUID/);
  await expect(async () => requests.get('../x')).rejects.toThrow(/must be a UUID/);
  await expect(requests.answer({ id: '../x', by: 'user', approve: true })).rejects.toThrow(/must be a UUID/);
  await expect(requests.answer({ id: A, by: 'user', approve: true })).rejects.toThrow(/There is no request/);
  await expect(requests.find('../x', 'plan')).rejects.toThrow(/No open plan/);
  expect(await readdir(dir.path)).toEqual(['requests', 'x.json']);
});

test('a broken request is listed as broken and hides no other', async () => {
  await using dir = await tempDir();
  const requests = openRequests(dir.path, fakeClock());
  await requests.create({ id: A, kind: 'plan', from: 'alice' });
  await writeFile(join(dir.path, `${B}.json`), '{');
  expect((await requests.open()).map(({ id }) => id)).toEqual([A]);
  expect(await requests.broken()).toEqual([
    { path: join(dir.path, `${B}.json`), reason: expect.stringContaining('is not JSON') },
  ]);
});
