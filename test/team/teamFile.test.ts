import { writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTeamFile, type TeamFile } from '../../src/team/teamFile.js';
import { tempDir } from '../helpers/tempDir.js';

const team: TeamFile = { name: 'red', createdAt: 1, leadAgentId: 'team-lead@red', members: [] };

async function teamFolder() {
  const dir = await tempDir();
  const path = join(dir.path, 'red', 'config.json');
  await mkdir(join(dir.path, 'red'));
  return { path, folder: join(dir.path, 'red'), [Symbol.asyncDispose]: dir[Symbol.asyncDispose] };
}

test('a team is created once', async () => {
  await using dir = await teamFolder();
  const made = await Promise.allSettled(Array.from({ length: 5 }, () => openTeamFile(dir.path).create(team)));
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(made.find((each) => each.status === 'rejected')?.reason.message).toMatch(/There is a team "red" already/);
  expect(await readdir(dir.folder)).toEqual(['config.json']);
});

test('updates at once lose nothing, and each raises the revision by one', async () => {
  await using dir = await teamFolder();
  await openTeamFile(dir.path).create(team);
  await Promise.all(
    Array.from({ length: 15 }, () =>
      openTeamFile(dir.path).update((current) => ({ ...current, createdAt: current.createdAt + 1 })),
    ),
  );
  expect(await openTeamFile(dir.path).require()).toEqual({ ...team, createdAt: 16, rev: 16 });
  expect(await readdir(dir.folder)).toEqual(['config.json']);
});

test('a file that was changed behind the lock is not overwritten: the change is made again on what is there', async () => {
  await using dir = await teamFolder();
  const file = openTeamFile(dir.path);
  await file.create(team);
  let calls = 0;
  await file.update((current) => {
    // At once, or it is read while it is half written.
    if (calls++ === 0) writeFileSync(dir.path, JSON.stringify({ ...current, rev: 9, description: 'from outside' }));
    return { ...current, createdAt: 7 };
  });
  expect(calls).toBe(2);
  expect(await file.require()).toEqual({ ...team, createdAt: 7, description: 'from outside', rev: 10 });
});

test('a team that stays the same is parsed no more than twice, and every change of it is seen', async () => {
  await using dir = await teamFolder();
  const file = openTeamFile(dir.path);
  expect([await file.read(), await file.read(), await file.read()]).toEqual([undefined, undefined, undefined]);
  await openTeamFile(dir.path).create(team);
  await file.read();
  const known = await file.read();
  expect(await file.read()).toBe(known);
  await openTeamFile(dir.path).update((current) => ({ ...current, createdAt: 2 }));
  expect(await file.read()).toMatchObject({ createdAt: 2 });
  await rm(dir.path);
  expect(await file.read()).toBeUndefined();
});

test('fields that this version does not know are kept', async () => {
  await using dir = await teamFolder();
  const foreign = {
    ...team,
    rev: 3,
    later: { a: [1] },
    members: [
      { agentId: 'a@red', name: 'a', joinedAt: 0, tmuxPaneId: '%1', cwd: '/', subscriptions: [], isActive: true },
    ],
    tmux: { socketPath: '/s', serverPid: 1, serverStart: 'x', sessionId: '$0', ownsServer: true, more: 1 },
  };
  await writeFile(dir.path, JSON.stringify(foreign));
  await openTeamFile(dir.path).update((current) => ({ ...current, description: 'd' }));
  expect(JSON.parse(await readFile(dir.path, 'utf8'))).toEqual({ ...foreign, description: 'd', rev: 4 });
});

test('a file that is broken or gone is an error that names it and what to do, and nothing is made', async () => {
  await using dir = await teamFolder();
  const file = openTeamFile(dir.path);
  expect(await file.read()).toBeUndefined();
  await expect(file.require()).rejects.toThrow(`There is no team "red": no file ${dir.path}`);
  await writeFile(dir.path, '{"name": 7}');
  await expect(file.update((current) => current)).rejects.toThrow(
    new RegExp(`${dir.path} is not what [^]*\\nMend the file, or move the folder ${dir.folder} elsewhere`),
  );
  await rm(dir.folder, { recursive: true });
  await expect(file.update((current) => current)).rejects.toThrow(/There is no team "red"/);
  await expect(readdir(dir.folder)).rejects.toThrow(/ENOENT/);
});
