import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { eventually } from '../helpers/eventually.js';
import { live, resultOf } from '../helpers/headless.js';
import { timedOut } from '../helpers/ordered.js';
import { type TmuxStage, tmuxStage } from '../helpers/tmuxTeam.js';

const TEAM = `---
name: makers
description: Each in a worktree of its own.
lead: { permissionMode: bypassPermissions }
members:
${['ada', 'bob'].map((name) => `  - { name: ${name}, worktree: true, permissionMode: bypassPermissions, prompt: Make. }`).join('\n')}
---
Go.
`;

const does = (command: string) => `
    - { when: { turn: 1 }, reply: [{ tool: Bash, input: { command: '${command}' } }] }
    - { reply: 'Done: {{result}}' }`;
const COMMIT = 'echo made > made.txt && git add made.txt && git commit --quiet -m made';

async function makers({
  ada,
  bob,
  lead = '[{ reply: I wait. }]',
}: {
  ada: string;
  bob: string;
  lead?: string;
}): Promise<TmuxStage> {
  const team = await tmuxStage(`agents:\n  team-lead: ${lead}\n  ada: ${ada}\n  bob: ${bob}\n`);
  await team.template('makers', TEAM);
  return team;
}

const JSON_RUN = ['run', 'makers', '--output-format', 'json'];

test.concurrent.each(['in-process', 'tmux'])(
  'worktrees that hold something are named with what they hold, and kept; others go (%s)',
  async (backend) => {
    await using team = await makers({ ada: does(COMMIT), bob: does('true') });
    const ended = await team.troupe([...JSON_RUN, '--backend', backend]);
    expect(ended.exitCode, ended.stderr).toBe(0);
    const { worktrees, members } = resultOf(ended);
    expect(worktrees).toEqual([
      {
        member: 'ada',
        path: members.find(({ name }) => name === 'ada')?.worktree,
        branch: expect.stringMatching(/^troupe\/.*-ada-/),
        holds: [expect.stringMatching(/^1 commit that /)],
      },
    ]);
    expect(await readFile(join(worktrees[0]?.path ?? '', 'made.txt'), 'utf8')).toBe('made\n');
    expect(existsSync(members.find(({ name }) => name === 'bob')?.worktree ?? '')).toBe(false);
  },
);

test.concurrent('a run that is ended by --timeout names what is not committed, and loses nothing', async () => {
  await timedOut(async (timeout) => {
    await using team = await makers({ ada: does('echo half > half.txt; sleep 100'), bob: does('true') });
    const ended = await team.troupe([...JSON_RUN, '--timeout', timeout], { timeout: 100_000 });
    expect(ended.exitCode, ended.stderr).toBe(124);
    const ada = resultOf(ended).worktrees.find(({ member }) => member === 'ada');
    expect(ada?.holds).toContain('1 file untracked');
    expect(ada).not.toHaveProperty('lost');
    expect(await readFile(join(ada?.path ?? '', 'half.txt'), 'utf8')).toBe('half\n');
  });
});

const Record = z.looseObject({ pid: z.number() });

test.concurrent('the worktree of a member that died is named and kept', async () => {
  await using team = await makers({
    ada: does('echo half > half.txt; sleep 60'),
    bob: does('true'),
    lead: "[{ when: { user: 'ada has ended' }, reply: Ada is gone. }, { reply: I wait. }]",
  });
  await using running = await live(team, [...JSON_RUN, '--backend', 'tmux', '--name', 'dies'], team.repo);
  const worktree = await eventually(async () => {
    const { worktree: path = '' } = await team.member('ada');
    expect(existsSync(join(path, 'half.txt'))).toBe(true);
    return path;
  });
  const record = await readFile(join(team.home, 'teams', 'dies', 'run', 'ada.json'), 'utf8');
  process.kill(Record.parse(JSON.parse(record)).pid, 'SIGKILL');
  const ended = await running.ended();
  expect(ended.exitCode, ended.stderr).toBe(0);
  const result = resultOf(ended);
  expect(result.members.find(({ name }) => name === 'ada')).toMatchObject({ state: 'terminated', worktree });
  expect(result.worktrees).toMatchObject([{ member: 'ada', path: worktree, holds: ['1 file untracked'] }]);
  expect(await readFile(join(worktree, 'half.txt'), 'utf8')).toBe('half\n');
});

test.concurrent('a worktree whose folder somebody removed is lost work: 4, and named', async () => {
  await using team = await makers({
    ada: does('echo half > half.txt && rm -rf "$PWD"'),
    bob: does(`${COMMIT} && cd .. && rm -rf "$OLDPWD"`),
  });
  const ended = await team.troupe(JSON_RUN);
  expect(ended.exitCode, ended.stderr).toBe(4);
  const result = resultOf(ended);
  expect(result).toMatchObject({ subtype: 'error_during_execution', is_error: true, result: 'I wait.' });
  const gone = 'its folder was removed: whatever was not committed there';
  expect(result.worktrees.toSorted((a, b) => a.member.localeCompare(b.member))).toMatchObject([
    { member: 'ada', holds: [gone], lost: true },
    { member: 'bob', holds: [expect.stringMatching(/^1 commit/), gone], lost: true },
  ]);
  expect(result.errors).toContainEqual(expect.stringMatching(/^Work of ada may be lost, .*: its folder was removed/));
});
