import { expect } from 'vitest';
import { MIN_HEIGHT, MIN_WIDTH } from '../../src/panes/arrange.js';
import { eventually } from './eventually.js';
import { addTemplate, resultOf } from './headless.js';
import { stage } from './program.js';
import { tmuxStage } from './tmuxTeam.js';

const SCRIPT = `
agents:
  '*': [{ reply: Done with it. }]
`;

const crowd = (count: number) => `---
name: crowd
description: Many who have little to do.
members:
  - { name: worker, count: ${count}, prompt: Do it. }
---
Wait for all of them.
`;

const namesOf = (count: number) => Array.from({ length: count }, (_, index) => `worker-${index + 1}`);
/** Starting many processes on few cores takes a while. */
export const PATIENT = 250_000;

/** So many members in tmux have readable panes and turns of their own, hear what is said to all, and leave nothing. */
export async function expectCrowdInTmux(count: number): Promise<void> {
  await using team = await tmuxStage(SCRIPT);
  const before = await team.traces();
  await team.template('crowd', crowd(count));
  const { exitCode, stderr } = await team.troupe(['up', 'crowd', '--detach', '--backend', 'tmux'], {
    timeout: PATIENT,
  });
  expect(exitCode, stderr).toBe(0);
  const allIdle = async () => {
    const { members } = await team.status();
    expect(members.filter(({ state }) => state !== 'idle')).toEqual([]);
    expect(members).toHaveLength(count + 1);
  };
  await eventually(allIdle, PATIENT);
  for (const name of namesOf(count)) expect(team.heard(name), name).toHaveLength(1);

  const format = '#{@troupe_agent} #{window_id} #{pane_width} #{pane_height} #{pane_dead}';
  const rows = (await team.tmux('list-panes', '-a', '-F', format)).split('\n').map((row) => row.split(' '));
  expect(rows.map(([name]) => name).sort()).toEqual(['team-lead', ...namesOf(count)].sort());
  const small = rows.filter(([, , width, height]) => Number(width) < MIN_WIDTH || Number(height) < MIN_HEIGHT);
  expect(small).toEqual([]);
  expect(rows.filter(([, , , , isDead]) => isDead !== '0')).toEqual([]);
  expect(new Set(rows.map(([, window]) => window)).size).toBeGreaterThan(1);

  await team.ok('send', '*', 'One more thing.');
  await eventually(() => {
    for (const name of namesOf(count)) expect(team.heard(name).at(-1), name).toContain('One more thing.');
  }, PATIENT);
  await eventually(allIdle, PATIENT);
  await team.ok('down');
  expect(await team.traces()).toEqual(before);
}

/** So many members in one process have a turn each, and the run ends with the report of each. */
export async function expectCrowdInProcess(count: number): Promise<void> {
  await using team = await stage(SCRIPT);
  await addTemplate(team, 'crowd', crowd(count));
  const ended = await team.troupe(['run', 'crowd', '--output-format', 'json'], { timeout: PATIENT });
  const { is_error, members } = resultOf(ended);
  expect({ exitCode: ended.exitCode, is_error }, ended.stderr).toEqual({ exitCode: 0, is_error: false });
  const byNumber = (name: string) => Number(name.split('-')[1]);
  const workers = members
    .filter(({ name }) => name !== 'team-lead')
    .sort((a, b) => byNumber(a.name) - byNumber(b.name));
  expect(workers.map(({ name, turns, lastReport }) => ({ name, turns, lastReport }))).toEqual(
    namesOf(count).map((name) => ({ name, turns: 1, lastReport: 'Done with it.' })),
  );
  expect((await team.troupe(['ls', '--json'])).stdout).toBe('[]');
}
