import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureHome, homeAt } from '../../src/config/paths.js';
import { createSession, readSession, type SessionRecord, updateSession } from '../../src/transcript/session.js';
import { tempDir } from '../helpers/tempDir.js';

const ID = 'aaaaaaaa-0000-4000-8000-000000000001';
const record: SessionRecord = {
  sessionId: ID,
  team: 'red',
  agent: 'alice',
  model: 'm',
  mode: 'default',
  cwd: '/',
  startedAt: 1,
};

test('a session has its folders, and its record says how it ended', async () => {
  await using dir = await tempDir();
  const home = homeAt(join(dir.path, 'home'));
  await ensureHome(home);
  await createSession(home, record);
  expect((await readdir(home.session(ID).root)).sort()).toEqual(['agents', 'notices', 'session.json', 'tasks']);
  expect((await stat(home.session(ID).root)).mode & 0o777).toBe(0o700);
  expect(await updateSession(home, ID, { endedAt: 2, end: 'exited' })).toEqual({
    ...record,
    endedAt: 2,
    end: 'exited',
  });
  expect(await readSession(home, ID)).toEqual({ ...record, endedAt: 2, end: 'exited' });
  await createSession(home, { ...record, startedAt: 3 });
  expect(JSON.parse(await readFile(home.session(ID).record, 'utf8'))).toEqual({ ...record, startedAt: 3 });
});

test('an id that is no UUID reaches no file, and an unknown session is an error', async () => {
  await using dir = await tempDir();
  const home = homeAt(dir.path);
  await ensureHome(home);
  await expect(createSession(home, { ...record, sessionId: '../../x' })).rejects.toThrow(/must be a UUID/);
  await expect(updateSession(home, ID, {})).rejects.toThrow(`There is no session ${ID}`);
});
