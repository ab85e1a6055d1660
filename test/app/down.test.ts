import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { downTeam } from '../../src/app/end/down.js';
import { theWorld } from '../../src/app/services.js';
import { createInProcessBackend } from '../../src/panes/inProcess.js';
import { LEAD } from '../../src/team/member.js';
import { teamOnDisk } from '../helpers/team.js';

test('where nothing can be written any more the end of a team fails, but leaves nobody running', async () => {
  await using red = await teamOnDisk({ members: ['bob', 'carol'] });
  const backend = createInProcessBackend({
    startMember: (_, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve({ code: 0, lastLines: '' }))),
  });
  const owner = (member: string) => ({ team: 'red', member });
  for (const member of ['bob', 'carol']) {
    await backend.start({ ...owner(member), cwd: red.cwd, launchFile: '', role: 'teammate' });
    await red.writeRecord(member, { state: 'idle', backend: 'in-process', readyAt: 1 });
    // No mail gets there, as on a full disk.
    await rm(join(red.paths.inboxes, `${member}.d`), { recursive: true, force: true });
    await writeFile(join(red.paths.inboxes, `${member}.d`), '');
  }
  await red.writeRecord(LEAD, { state: 'idle', readyAt: 1 });
  const world = { ...theWorld(), home: red.home };
  const options = { force: false, purge: false, progress: () => {} };
  await expect(downTeam({ world, team: 'red', backend, ...options })).rejects.toThrow(/ENOTDIR|EEXIST/);
  expect(await Promise.all(['bob', 'carol'].map((member) => backend.find(owner(member))))).toEqual([
    undefined,
    undefined,
  ]);
  expect((await red.file.require()).leadProcess?.ends).toBe(true);
});
