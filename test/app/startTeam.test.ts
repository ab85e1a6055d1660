import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { theWorld } from '../../src/app/services.js';
import { showTeam } from '../../src/app/start/showTeam.js';
import { startTeam } from '../../src/app/start/startTeam.js';
import { undone } from '../../src/team/start/undone.js';
import { plain } from '../../src/team/template/template.js';
import { SETTINGS, teamOnDisk } from '../helpers/team.js';
import { requestIn } from '../team/start/starting.js';

const neverHere = () => Promise.reject(new Error('Nobody is to be started.'));

test('a team that cannot be written down leaves nothing', async () => {
  await using team = await teamOnDisk();
  const plan = {
    name: 'blue',
    cwd: team.cwd,
    // No file of a team may say so.
    layout: JSON.parse('"sideways"'),
    expanded: plain('hello'),
    settings: SETTINGS,
    environment: {},
    lead: requestIn(team, 'team-lead'),
    members: [],
    notices: [],
    untrusted: [],
    replaces: false,
  };
  await expect(
    startTeam({
      world: { ...theWorld(), home: team.home },
      plan,
      decided: { type: 'in-process' },
      wish: { wanted: 'in-process', command: 'up', detach: false, isTerminal: false, layout: 'panes' },
      teammateHere: neverHere,
      leadHere: neverHere,
      progress: () => {},
    }),
  ).rejects.toThrow(/layout/);
  expect(await readdir(team.home.teams)).toEqual(['red']);
});

test('a start that a signal stops says what of it is left', async () => {
  await using team = await teamOnDisk();
  const world = { ...theWorld(), home: team.home };
  const options = { world, team: 'red', color: undefined, note: () => {}, detach: true };
  const failing = (failures: readonly string[]) => async () => {
    process.emit('SIGTERM');
    throw undone(new Error('ended'), 'the start', failures);
  };
  const listeners = process.listeners('SIGTERM');
  process.removeAllListeners('SIGTERM');
  try {
    await expect(showTeam({ ...options, begin: failing(['no server running']) })).rejects.toMatchObject({
      exitCode: 143,
      message:
        'Stopped by SIGTERM before "red" was up.\nUndoing the start failed in part: no server running. See troupe doctor.',
    });
    await expect(showTeam({ ...options, begin: failing([]) })).rejects.toMatchObject({
      exitCode: 143,
      message: 'Stopped by SIGTERM before "red" was up: nothing of it runs.',
    });
  } finally {
    for (const listener of listeners) process.on('SIGTERM', listener);
  }
});
