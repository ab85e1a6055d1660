import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { PAIR, PAIR_SCRIPT } from '../helpers/pair.js';
import { tmuxStage } from '../helpers/tmuxTeam.js';

test('a team whose folder somebody removed stands in nobody’s way, and its processes end by themselves', async () => {
  await using stage = await tmuxStage(PAIR_SCRIPT);
  await stage.template('pair', PAIR);
  await stage.ok('up', 'pair', '--name', 'hands', '--detach', '--backend', 'tmux');
  await stage.until('reviewer', 'idle');
  // Somebody may just be writing into it.
  await eventually(() => rm(join(stage.home, 'teams', 'hands'), { recursive: true, force: true }));
  await stage.ok('up', 'pair', '--name', 'other', '--detach', '--backend', 'tmux');
  expect(await stage.ok('ls')).not.toContain('hands');
  await stage.until('reviewer', 'idle');
  await eventually(async () => {
    const { processes } = await stage.traces();
    expect(processes.filter((line) => line.includes('teams/hands/'))).toEqual([]);
  }, 40_000);
  await stage.ok('down');
});
