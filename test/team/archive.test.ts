import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureHome, homeAt } from '../../src/config/paths.js';
import { archiveTeam, listTeams, makeTeamFolders, unmakeTeamFolders } from '../../src/team/archive.js';
import { openTeamFile } from '../../src/team/teamFile.js';
import { fakeClock } from '../helpers/fakeClock.js';
import { tempDir } from '../helpers/tempDir.js';

async function homeWith(...teams: string[]) {
  const dir = await tempDir();
  const home = homeAt(join(dir.path, 'home'));
  await ensureHome(home);
  const add = async (name: string) => {
    await makeTeamFolders(home.team(name));
    await openTeamFile(home.team(name).config).create({
      name,
      createdAt: 0,
      leadAgentId: `team-lead@${name}`,
      members: [],
    });
  };
  for (const name of teams) await add(name);
  return { home, add, [Symbol.asyncDispose]: dir[Symbol.asyncDispose] };
}

test('a team’s folders are private to their user', async () => {
  await using dir = await homeWith('red');
  for (const path of ['', 'inboxes', 'requests', 'plans', 'tasks', 'run', 'launch', 'files']) {
    expect((await stat(join(dir.home.team('red').root, path))).mode & 0o777).toBe(0o700);
  }
  expect((await stat(dir.home.team('red').config)).mode & 0o777).toBe(0o600);
});

test('archived teams of one name and one second do not replace each other', async () => {
  await using dir = await homeWith('red');
  const first = await archiveTeam(dir.home, 'red', fakeClock());
  await dir.add('red');
  const second = await archiveTeam(dir.home, 'RED', fakeClock());
  expect([first, second].map((path) => path.slice(dir.home.archive.length + 1))).toEqual([
    'red-2026-01-01T00-00-00Z',
    'red-2026-01-01T00-00-00Z-2',
  ]);
  expect(await readdir(dir.home.teams)).toEqual([]);
  expect(JSON.parse(await readFile(join(first, 'config.json'), 'utf8'))).toMatchObject({ name: 'red' });
});

test('a launch file that nobody came to read is not archived, for it holds secrets', async () => {
  await using dir = await homeWith('red');
  await writeFile(dir.home.team('red').launchFile('bob'), '{ "environment": { "TOKEN": "s3cret" } }');
  const path = await archiveTeam(dir.home, 'red', fakeClock());
  expect(await readdir(join(path, 'launch'))).toEqual([]);
});

test('a team that there is not cannot be archived, and the try leaves nothing', async () => {
  await using dir = await homeWith();
  await expect(archiveTeam(dir.home, 'red', fakeClock())).rejects.toThrow('There is no team "red"');
  await expect(archiveTeam(dir.home, '../sessions', fakeClock())).rejects.toThrow(/There is no team/);
  expect(await readdir(dir.home.archive)).toEqual([]);
  expect((await readdir(dir.home.root)).sort()).toEqual(['archive', 'sessions', 'teams', 'traffic']);
});

test('the folders of a team that got no file are gone again, with nothing in them that is anybody’s', async () => {
  await using dir = await tempDir();
  const home = homeAt(dir.path);
  await ensureHome(home);
  const { root, inboxes } = home.team('red');
  await makeTeamFolders(home.team('red'));
  await writeFile(join(inboxes, 'bob.json'), '[]');
  await unmakeTeamFolders(home.team('red'));
  expect([await readdir(root), await readdir(inboxes)]).toEqual([['inboxes'], ['bob.json']]);
  await rm(join(inboxes, 'bob.json'));
  await unmakeTeamFolders(home.team('red'));
  expect(existsSync(root)).toBe(false);
});

test('a broken team is reported beside the others, and a folder without a team is none', async () => {
  await using dir = await homeWith('red', 'blue', 'bad');
  await writeFile(dir.home.team('bad').config, '{"name":');
  await mkdir(join(dir.home.teams, 'empty'));
  const { teams, broken } = await listTeams(dir.home);
  expect(teams.map(({ name }) => name)).toEqual(['blue', 'red']);
  expect(broken).toEqual([{ path: dir.home.team('bad').config, reason: expect.stringContaining('is not JSON') }]);
});

test('a lock that is held while its team is archived is not archived with it', async () => {
  await using dir = await homeWith('red');
  const { config, tasks } = dir.home.team('red');
  await mkdir(join(tasks, '.lock'));
  await mkdir(`${config}.lock`);
  const archive = await archiveTeam(dir.home, 'red', fakeClock());
  expect(await readdir(join(archive, 'tasks'))).toEqual([]);
  expect(await readdir(archive)).not.toContain('config.json.lock');
});
