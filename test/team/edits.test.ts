import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { noteEdit } from '../../src/team/edits.js';
import { fakeClock } from '../helpers/fakeClock.js';
import { type TeamOnDisk, teamOnDisk } from '../helpers/team.js';

const words = async (team: TeamOnDisk, name: string) =>
  (await team.mail(name)).map(({ from, text }) => `${from}: ${text}`);

async function fileIn(team: TeamOnDisk): Promise<string> {
  const path = join(team.cwd, 'a.ts');
  await writeFile(path, '');
  return path;
}

test('two members that change one file within 30 s are both told, once, by whichever name they reach it', async () => {
  const clock = fakeClock();
  await using team = await teamOnDisk({ members: ['bob', 'carol'], clock });
  const path = await fileIn(team);
  const link = join(team.cwd, 'link.ts');
  await symlink(path, link);
  await noteEdit(team.place, 'bob', path);
  await clock.pass(29_000);
  expect(await noteEdit(team.place, 'carol', link)).toMatch(`bob changed ${path} within the last 30 s`);
  expect(await noteEdit(team.place, 'carol', path)).toBeUndefined();
  expect(await noteEdit(team.place, 'bob', path)).toBeUndefined();
  expect(await words(team, 'bob')).toEqual([expect.stringMatching(`^team: carol has just changed ${path}, which you`)]);
  expect(await words(team, 'carol')).toEqual([]);
  expect((await readFile(team.paths.edits, 'utf8')).trim().split('\n')).toHaveLength(4);
});

test('later than that, in other files, or alone, nobody is told', async () => {
  const clock = fakeClock();
  await using team = await teamOnDisk({ members: ['bob', 'carol'], clock });
  const path = await fileIn(team);
  await noteEdit(team.place, 'bob', path);
  await noteEdit(team.place, 'bob', path);
  await noteEdit(team.place, 'carol', join(team.cwd, 'gone.ts'));
  await clock.pass(30_001);
  await noteEdit(team.place, 'carol', path);
  expect([await words(team, 'bob'), await words(team, 'carol')]).toEqual([[], []]);
});

test('who changes it at the same moment is told by one of both alone; a third is told of each', async () => {
  await using team = await teamOnDisk({ members: ['bob', 'carol', 'dave'], clock: fakeClock() });
  const path = await fileIn(team);
  const told = await Promise.all(['bob', 'carol'].map((name) => noteEdit(team.place, name, path)));
  expect(told.filter((text) => text !== undefined)).toHaveLength(1);
  expect([...(await words(team, 'bob')), ...(await words(team, 'carol'))]).toHaveLength(1);
  expect(await noteEdit(team.place, 'dave', path)).toMatch(/^(bob and carol|carol and bob) changed/);
  expect([...(await words(team, 'bob')), ...(await words(team, 'carol'))]).toHaveLength(3);
});

test('a torn or foreign line in the file keeps nobody from being told', async () => {
  await using team = await teamOnDisk({ members: ['bob', 'carol'], clock: fakeClock() });
  const path = await fileIn(team);
  await writeFile(team.paths.edits, `{"path":\n[]\n${'x'.repeat(300_000)}\n`);
  await noteEdit(team.place, 'bob', path);
  await noteEdit(team.place, 'carol', path);
  expect(await words(team, 'bob')).toHaveLength(1);
});
