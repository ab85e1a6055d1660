import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { BIN, stage } from '../helpers/program.js';
import { terminal } from '../helpers/terminal.js';

test('an untrusted project is asked about once on a terminal; yes lets its rules in, no is kept', async () => {
  await using at = await stage();
  await mkdir(join(at.folder, '.claude'));
  await writeFile(
    join(at.folder, '.claude', 'settings.json'),
    JSON.stringify({ permissions: { allow: ['Bash(make *)'] } }),
  );
  await using shell = await terminal(at.env, at.folder);
  const up = `node ${BIN} up --backend in-process --name team hello`;

  await shell.type(up);
  await eventually(async () => expect(await shell.screen()).toContain('[y/N]'));
  expect(await shell.screen()).toContain('permissions.allow');
  await shell.type('n');
  await eventually(async () => expect(await shell.screen()).toContain('lead>'));
  const settings = async () =>
    JSON.parse(await readFile(join(at.home, 'teams', 'team', 'config.json'), 'utf8')).settings;
  expect(await settings()).toMatchObject({ allow: [], trusted: false });
  await shell.type('/down');
  await eventually(async () => expect((await at.troupe(['ls'])).stdout).toContain('No teams')).catch(async (e) => {
    console.log(await shell.screen());
    throw e;
  });

  await shell.type(`clear; ${up}`);
  await eventually(async () => expect(await shell.screen()).toContain('lead>'));
  await shell.type('/down');
  await eventually(async () => expect((await at.troupe(['ls'])).stdout).toContain('No teams'));

  await at.troupe(['trust']);
  await shell.type(`clear; ${up}`);
  await eventually(async () => expect(await settings()).toMatchObject({ allow: ['Bash(make *)'], trusted: true }));
  await shell.type('/down');
  await eventually(async () => expect((await at.troupe(['ls'])).stdout).toContain('No teams'));
});
