import { expect, test } from 'vitest';
import { PAIR, PAIR_SCRIPT } from '../helpers/pair.js';
import { tmuxStage } from '../helpers/tmuxTeam.js';

test('with --layout windows each member has a window of its own, which bears its name', async () => {
  await using team = await tmuxStage(PAIR_SCRIPT);
  const before = await team.traces();
  await team.template('pair', PAIR);
  await team.ok('up', 'pair', '--detach', '--backend', 'tmux', '--layout', 'windows');
  await team.ok('add', 'third', '--prompt', 'Wait.');
  const windows = await team.tmux('list-windows', '-F', '#{window_panes} #{window_name}');
  expect(windows.split('\n').sort()).toEqual(['1 pair', '1 planner', '1 reviewer', '1 third']);
  await team.ok('down');
  expect(await team.traces()).toEqual(before);
});
