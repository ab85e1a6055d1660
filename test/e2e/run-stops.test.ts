import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { type Ended, linesOf, live, resultOf } from '../helpers/headless.js';
import { hook } from '../helpers/hooked.js';
import { casesOf } from '../helpers/junit.js';
import { timedOut } from '../helpers/ordered.js';
import { type TmuxStage, tmuxStage, tree } from '../helpers/tmuxTeam.js';

const pair = (member = '') => `---
name: pair
description: A lead and one more.
lead: { permissionMode: bypassPermissions }
members: [{ name: bob, permissionMode: bypassPermissions, prompt: Look.${member} }]
---
Go.
`;
const HANGS = '[{ fault: { stream: hang, times: 9 }, reply: never }]';
const HANGING = `agents: { team-lead: [{ reply: I wait. }], bob: ${HANGS} }`;
const RUN = ['run', 'pair', '--output-format', 'json'];

async function team(script = HANGING, member = ''): Promise<TmuxStage> {
  const made = await tmuxStage(script);
  await made.template('pair', pair(member));
  return made;
}

const inHome = ({ env }: TmuxStage, name: string) => join(env['HOME'] ?? '', name);

/** Ends with the time-out or with the signal, sent as soon as `isTime`. */
async function stopped(
  stage: TmuxStage,
  args: readonly string[],
  stop: 'SIGINT' | 'SIGTERM' | 'timeout',
  isTime: () => unknown,
): Promise<Ended> {
  await using running = await live(stage, [...args, ...(stop === 'timeout' ? ['--timeout', '1s'] : [])], stage.repo);
  if (stop !== 'timeout') {
    await eventually(isTime);
    process.kill(running.pid, stop);
  }
  return await running.ended();
}

const STOPS = [
  { stop: 'timeout', exitCode: 124, subtype: 'error_timeout' },
  { stop: 'SIGINT', exitCode: 130, subtype: 'interrupted' },
  { stop: 'SIGTERM', exitCode: 143, subtype: 'interrupted' },
] as const;

test.each(STOPS)(
  'a run that is stopped while a member’s start hangs ends what it hangs in, and leaves nothing: $stop',
  async ({ stop, exitCode, subtype }) => {
    await using starts = await team(HANGING, ', worktree: true');
    await mkdir(join(starts.repo, '.claude'));
    const settings = { hooks: { WorktreeCreate: hook('echo $$ > "$HOME/begun"; sleep 600') } };
    await writeFile(join(starts.repo, '.claude', 'settings.json'), JSON.stringify(settings));
    const before = await starts.traces();
    const args = [...RUN, '--trust'];
    const ended = await stopped(starts, args, stop, () => expect(existsSync(inHome(starts, 'begun'))).toBe(true));
    expect(ended.exitCode, ended.stderr).toBe(exitCode);
    const result = resultOf(ended);
    expect(result).toMatchObject({ subtype, is_error: true, members: [], worktrees: [] });
    expect(result.team).toMatch(/^run-/);
    expect(await starts.traces()).toEqual(before);
    expect((await starts.troupe(['ls', '--json'])).stdout).toBe('[]');
  },
);

test.each(['in-process', 'tmux'])(
  'a --timeout that is over before anything runs is 124 with a result, and nothing is left running (%s)',
  async (backend) => {
    await using late = await team();
    const before = await late.traces();
    const ended = await late.troupe([...RUN, '--backend', backend, '--timeout', '1ms']);
    expect(ended.exitCode, ended.stderr).toBe(124);
    expect(resultOf(ended)).toMatchObject({ subtype: 'error_timeout', is_error: true });
    expect(await late.traces()).toEqual(before);
  },
);

test.each([
  { second: 'SIGINT', backend: 'in-process' },
  { second: 'SIGTERM', backend: 'tmux' },
] as const)(
  'a second signal, $second, while a run ends hurries it: nothing is waited for, one result, the exit code of the first ($backend)',
  async ({ second, backend }) => {
    await using hanging = await team();
    await mkdir(join(hanging.repo, '.claude'));
    const SessionEnd = [{ hooks: [{ type: 'command', command: 'echo $$ > "$HOME/ending"; sleep 600', timeout: 600 }] }];
    await writeFile(join(hanging.repo, '.claude', 'settings.json'), JSON.stringify({ hooks: { SessionEnd } }));
    await using running = await live(hanging, [...RUN, '--trust', '--backend', backend], hanging.repo);
    await eventually(() => expect(hanging.heard('bob')).toHaveLength(1));
    process.kill(running.pid, 'SIGINT');
    await eventually(() => {
      expect(running.stderr()).toContain('Interrupted (SIGINT). Ending the team.');
      expect(existsSync(inHome(hanging, 'ending'))).toBe(true);
    });
    // Some that follow at once count as the first, passed on.
    await eventually(() => {
      if (!running.stderr().includes('killed now')) process.kill(running.pid, second);
      expect(running.stderr()).toContain('Once more: whatever still runs is killed now.');
    });
    const ended = await running.ended();
    expect(ended.exitCode, ended.stderr).toBe(130);
    // Killed, and not given up after the minute that it has.
    expect(ended.stderr).toMatch(/SessionEnd hook .* ended with 128/);
    expect(resultOf(ended)).toMatchObject({
      subtype: 'interrupted',
      errors: expect.arrayContaining([/SIGINT/].map((words) => expect.stringMatching(words))),
    });
    expect((await hanging.traces()).processes).toEqual([]);
  },
);

test('a run whose team another shell takes down ends by itself, with its one result, and leaves the rest to that shell', async () => {
  await using hanging = await team();
  await using running = await live(hanging, [...RUN, '--name', 'red'], hanging.repo);
  await eventually(() => expect(hanging.heard('bob')).toHaveLength(1));
  expect(await hanging.ok('down', 'red', '--force')).toMatch(/^Team "red" is down\. Archived in /);
  const ended = await running.ended();
  expect(ended.exitCode, ended.stderr).toBe(143);
  expect(resultOf(ended)).toMatchObject({ subtype: 'interrupted', team: 'red', members: [{}, {}] });
  expect(ended.stderr).not.toContain('could not be taken down');
  expect((await hanging.traces()).processes).toEqual([]);
});

const DEAF = '(trap "" TERM INT HUP; sleep 600) & setsid sleep 600 & echo begun > $HOME/begun; wait';

test('a member that hangs in a command that is deaf to signals keeps no run from its --timeout, and the command ends with it', async () => {
  await timedOut(async (timeout) => {
    await using deaf = await team(
      `agents: { team-lead: [{ reply: I wait. }], bob: [{ reply: [{ tool: Bash, input: { command: '${DEAF}' } }] }] }`,
    );
    const ended = await deaf.troupe([...RUN, '--timeout', timeout], { timeout: 100_000 });
    expect(ended.exitCode, ended.stderr).toBe(124);
    expect(existsSync(inHome(deaf, 'begun'))).toBe(true);
    expect(resultOf(ended).errors).toContainEqual(expect.stringMatching(/^bob: working \(Bash\), 1 turn/));
    expect((await deaf.traces()).processes).toEqual([]);
  });
});

test.each([
  { what: 'the next start', args: ['run', 'Hello.'] },
  { what: 'gc', args: ['gc'] },
])('what a killed run’s members had running is ended by $what, and their team can be looked at', async ({ args }) => {
  await using killed = await team(
    `agents: { team-lead: [{ when: { user: Hello }, reply: Hi. }, { reply: I wait. }], bob: [{ reply: [{ tool: Bash, input: { command: '${DEAF}' } }] }] }`,
  );
  await using running = await live(killed, [...RUN, '--name', 'killed'], killed.repo);
  await eventually(() => expect(existsSync(inHome(killed, 'begun'))).toBe(true));
  process.kill(running.pid, 'SIGKILL');
  await running.ended();
  expect((await killed.traces()).processes).not.toEqual([]);
  const next = await killed.troupe(args);
  expect(next.exitCode, next.stderr).toBe(0);
  expect((await killed.traces()).processes).toEqual([]);
  expect(await tree(killed.home)).toContainEqual(
    expect.stringMatching(/^(teams|archive)\/killed[^/]*\/run\/bob\.json$/),
  );
});

test.each(['in-process', 'tmux'])(
  'a stdout that nobody reads any more ends the whole team, and the reports say so (%s)',
  async (backend) => {
    await using read = await team();
    const before = await read.traces();
    const words = ['run', 'pair', '--output-format', 'stream-json', '--backend', backend, '--junit', 'report.xml'];
    await using running = await live(read, words, read.repo);
    await eventually(() => {
      expect(running.stdout()).toContain('"init"');
      expect(read.heard('bob')).toHaveLength(1);
    });
    running.closeStdout();
    // The next line has no reader.
    await read.ok('send', 'team-lead', 'Anything new?');
    const { exitCode, stdout, stderr } = await running.ended();
    expect(exitCode, stderr).toBe(141);
    expect(stderr).not.toMatch(/EPIPE|^\s+at /m);
    expect(linesOf({ exitCode, stdout, stderr }).filter(({ type }) => type === 'result')).toEqual([]);
    expect(await read.traces()).toEqual(before);
    const [first] = casesOf(await readFile(join(read.repo, 'report.xml'), 'utf8'));
    expect(first?.failure).toMatchObject({ type: 'interrupted', text: expect.stringMatching(/Nobody reads/) });
  },
);
