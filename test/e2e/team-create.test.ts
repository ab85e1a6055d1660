import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runJson } from '../helpers/headless.js';
import { stage } from '../helpers/program.js';
import { BACKENDS } from '../helpers/puppets.js';
import { resultsOf } from '../helpers/requests.js';

const SCRIPT = `
agents:
  team-lead:
    - when: { turn: 1 }
      reply:
        - { tool: TeamCreate, input: { team_name: another } }
        - { tool: TeamCreate, input: { team_name: built, description: Tries it out., agent_type: lead } }
    - when: { tool: TeamCreate }
      reply:
        - { tool: Agent, input: { name: one, description: x, prompt: Wait for the file. } }
        - { tool: Agent, input: { name: two, description: x, prompt: Wait for a word. } }
        - { tool: TaskCreate, input: { subject: Say it, description: In a word., activeForm: Saying it } }
        - { tool: TeamDelete, input: {} }
        - { tool: SendMessage, input: { to: two, message: Now say it., summary: a word } }
        - { tool: Bash, input: { command: touch go } }
    - name: both
      when: { seen: [One is done, Two has said it] }
      once: true
      reply:
        - { tool: TaskUpdate, input: { taskId: '1', status: completed } }
        - { tool: SendMessage, input: { to: one, message: { type: shutdown_request, reason: Done. } } }
    - when: { tool: SendMessage, used: { rule: both, times: 1 } }
      once: true
      reply: [{ tool: TeamDelete, input: {} }]
    # Whoever has just been given the task is at work once more.
    - when: { tool: TeamDelete, result: Still working, used: { rule: both, times: 1 } }
      reply: [{ tool: Bash, input: { command: sleep 0.2 } }, { tool: TeamDelete, input: {} }]
    - when: { tool: TeamDelete, result: '"how"' }
      reply: The team is gone.
    - reply: Noted.
  one:
    - when: { turn: 1 }
      reply: [{ tool: Bash, input: { command: 'while ! [ -e go ]; do sleep 0.05; done' } }]
    - when: { user: Task (\\d+) of the shared list }
      reply: [{ tool: TaskUpdate, input: { taskId: '1', status: completed } }]
    - reply: One is done.
  two:
    - when: { user: Now say it }
      reply: Two has said it.
    - when: { user: Task (\\d+) of the shared list }
      reply: [{ tool: TaskUpdate, input: { taskId: '1', status: completed } }]
    - reply: Noted by two.
`;

test.each(BACKENDS)('a lead builds a team by itself and ends it again (%s)', async (backend) => {
  await using home = await stage(SCRIPT);
  const { exitCode, stderr, result } = await runJson(
    home,
    ...['Build a team.', '--name', 'built', '--backend', backend, '--permission-mode', 'bypassPermissions', '--keep'],
  );
  expect({ exitCode, errors: result.errors }, stderr).toEqual({ exitCode: 0, errors: undefined });
  const results = resultsOf(home, 'team-lead').map(String);
  expect(results[0]).toContain('You lead the team "built" already, and a session has one team');
  expect(JSON.parse(results[1] ?? '')).toEqual({
    team_name: 'built',
    team_file_path: join(home.home, 'teams', 'built', 'config.json'),
    lead_agent_id: 'team-lead@built',
    members: [],
  });
  expect(results.find((text) => text.includes('Still working'))).toMatch(/Still working: (two, )?one/);
  const ended = JSON.parse(results.find((text) => text.includes('"how"')) ?? '{}');
  expect(ended).toMatchObject({
    team_name: 'built',
    members: [{ how: expect.stringMatching(/^(ended|gone)$/) }, { how: expect.stringMatching(/^(ended|gone)$/) }],
  });
  for (const name of ['one', 'two']) {
    const record = JSON.parse(await readFile(join(home.home, 'teams', 'built', 'run', `${name}.json`), 'utf8'));
    expect(record).toMatchObject({ state: 'exited', exit: { code: 0, forced: false } });
  }
  const team = JSON.parse(await readFile(join(home.home, 'teams', 'built', 'config.json'), 'utf8'));
  expect(team.description).toBe('Tries it out.');
  expect(result.members.map(({ name }) => name).sort()).toEqual(['one', 'team-lead', 'two']);
  const runtime = join(home.folder, 'run', 'troupe');
  expect(existsSync(runtime) ? await readdir(runtime) : []).toEqual([]);
});
