import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { markedProcesses } from '../../src/host/children.js';
import { heardBy, runJson } from '../helpers/headless.js';
import { goWhen, UNTIL_GO } from '../helpers/ordered.js';
import { stage } from '../helpers/program.js';
import { resultsOf } from '../helpers/requests.js';

test('a command in the background keeps the run open, and its end wakes the agent with what it printed', async () => {
  await using team = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: Bash, input: { command: 'echo first; ${UNTIL_GO}; echo last', run_in_background: true, description: print } }]
    - when: { user: 'task-notification' }
      reply: I was told.
    - reply: I go on.
`);
  const [{ result }] = await Promise.all([
    runJson(team, 'Go.', '--permission-mode', 'bypassPermissions'),
    goWhen(team, { name: 'team-lead', state: 'idle', turns: 2 }),
  ]);
  expect(result).toMatchObject({ subtype: 'success', result: 'I was told.' });
  const [started] = resultsOf(team, 'team-lead');
  const [, path = ''] =
    /^The command runs in the background\. Task \S+; it prints into (\S+)\. /.exec(String(started)) ?? [];
  expect(await readFile(path, 'utf8')).toBe('first\nlast\n');
  expect(heardBy(team, 'team-lead').at(-1)).toMatch(/task-notification.*completed.*first\\nlast/);
});

test('a command that is not done in time goes on in the background; TaskOutput shows it, TaskStop ends all of it', async () => {
  await using team = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: Bash, input: { command: 'echo here; setsid sleep 300 & while true; do sleep 1; done', timeout: 1000 } }]
    - when: { turn: 2 }
      capture: { id: { from: result, match: 'Task ([^;]+);' } }
      reply: [{ tool: TaskOutput, input: { task_id: '{{id}}', block: false } }]
    - when: { turn: 3 }
      reply: [{ tool: TaskStop, input: { task_id: '{{id}}' } }]
    - reply: Done.
`);
  const { result } = await runJson(team, 'Go.', '--permission-mode', 'bypassPermissions');
  expect(result.subtype).toBe('success');
  const [moved, stand, stopped] = resultsOf(team, 'team-lead').map(String);
  expect(moved).toMatch(
    /^The command did not end within 1 s and was moved to the background, where it goes on\. Task /,
  );
  expect(stand).toMatch(/running[\s\S]*here/);
  expect(stopped).toContain('"task_type":"shell"');
  expect(await markedProcesses({ member: `team-lead@${result.team}`, home: team.home })).toEqual([]);
});

test('what git or only waits is ended when its time is over, and so is everything where the background is off', async () => {
  const script = (command: string) => `
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: Bash, input: { command: '${command}', timeout: 300 } }]
    - reply: Done.
`;
  for (const [command, off] of [
    ['sleep 60', ''],
    ['true | git hash-object --stdin; sleep 60', ''],
    ['cat; while true; do sleep 1; done', '1'],
  ] as const) {
    await using team = await stage(script(command));
    team.env['TROUPE_DISABLE_BACKGROUND_TASKS'] = off;
    const { result } = await runJson(team, 'Go.', '--permission-mode', 'bypassPermissions');
    expect(result.subtype).toBe('success');
    expect(String(resultsOf(team, 'team-lead')[0]), command).toMatch(/did not end within 0\.3 s and was ended/);
  }
});
