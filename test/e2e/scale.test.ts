import { expect, test } from 'vitest';
import { expectCrowdInProcess, expectCrowdInTmux, PATIENT } from '../helpers/crowd.js';
import { PAIR, PAIR_SCRIPT } from '../helpers/pair.js';
import { tmuxStage } from '../helpers/tmuxTeam.js';

// Forty, and a hundred: test/chaos/scale.test.ts.
test(
  'twelve members in tmux each have a pane of a readable size and a turn of their own, hear what is said to all, and leave nothing',
  { timeout: 2 * PATIENT },
  () => expectCrowdInTmux(12),
);

test(
  'twenty members in one process each have a turn, and the run ends with the report of each',
  { timeout: 2 * PATIENT },
  () => expectCrowdInProcess(20),
);

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
