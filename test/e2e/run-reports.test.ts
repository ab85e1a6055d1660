import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { addTemplate, live } from '../helpers/headless.js';
import { casesOf } from '../helpers/junit.js';
import { timedOut } from '../helpers/ordered.js';
import { type Stage, stage } from '../helpers/program.js';

const TEAM = `---
name: pair
description: A lead and one more.
lead: { permissionMode: bypassPermissions }
members: [{ name: bob, permissionMode: bypassPermissions, prompt: Look. }]
tasks: [{ subject: Dig, description: Deep., owner: bob }]
---
Go.
`;
const DIGS =
  "[{ when: { turn: 1 }, reply: [{ tool: TaskUpdate, input: { taskId: '1', status: completed } }] }, { reply: I dug. }]";
const HANGS = '[{ fault: { stream: hang, times: 9 }, reply: never }]';

async function pair(lead: string, bob = DIGS): Promise<Stage> {
  const team = await stage(`agents:\n  team-lead: ${lead}\n  bob: ${bob}\n`);
  await addTemplate(team, 'pair', TEAM);
  return team;
}

const failuresIn = async ({ folder }: Stage) =>
  casesOf(await readFile(join(folder, 'report.xml'), 'utf8')).map(({ name, failure }) => [name, failure?.type]);

test.concurrent.each([
  {
    what: 'success',
    lead: '[{ reply: Done. }]',
    bob: DIGS,
    args: ['pair'],
    exitCode: 0,
    cases: {
      run: undefined,
      bob: undefined,
      'team-lead': undefined,
      '1 Dig': undefined,
    },
  },
  {
    what: 'a lead that fails',
    lead: '[{ fault: { status: 400, message: nonsense, times: 9 }, reply: never }]',
    bob: HANGS,
    args: ['pair'],
    exitCode: 1,
    cases: {
      run: 'error_during_execution',
      bob: 'unfinished',
      '1 Dig': 'unfinished',
    },
  },
  {
    what: '--timeout',
    lead: '[{ reply: I wait. }]',
    bob: HANGS,
    args: ['pair'],
    timesOut: true,
    exitCode: 124,
    cases: {
      run: 'error_timeout',
      bob: 'unfinished',
      'team-lead': undefined,
      '1 Dig': 'unfinished',
    },
  },
  {
    what: 'a template that there is not',
    lead: HANGS,
    bob: HANGS,
    args: ['--template', 'pear'],
    exitCode: 2,
    cases: { run: 'error_during_execution' },
  },
])('--junit writes its file whatever happens: $what', async ({ lead, bob, args, timesOut, exitCode, cases }) => {
  const look = async (...more: string[]) => {
    await using team = await pair(lead, bob);
    const ended = await team.troupe(['run', ...args, ...more, '--junit', 'report.xml'], { timeout: 100_000 });
    expect(ended.exitCode, ended.stderr).toBe(exitCode);
    expect(Object.fromEntries(await failuresIn(team))).toMatchObject(cases);
    expect((await readdir(team.folder)).filter((name) => name.startsWith('report.xml'))).toEqual(['report.xml']);
  };
  await (timesOut ? timedOut((timeout) => look('--timeout', timeout)) : look());
});

test.concurrent.each([
  { signal: 'SIGTERM', type: 'interrupted', says: /SIGTERM/ },
  { signal: 'SIGKILL', type: 'error_during_execution', says: /has not ended/ },
] as const)('a run that is ended by $signal leaves a report that fails', async ({ signal, type, says }) => {
  await using team = await pair(HANGS, HANGS);
  await using running = await live(team, ['run', 'pair', 'x', '--junit', 'report.xml']);
  await eventually(() => expect(team.server.log().length).toBeGreaterThan(1));
  process.kill(running.pid, signal);
  await running.ended();
  const [run] = casesOf(await readFile(join(team.folder, 'report.xml'), 'utf8'));
  expect(run?.failure).toMatchObject({ type, text: expect.stringMatching(says) });
});

test.concurrent('a report that cannot be written is refused before anything starts', async () => {
  await using team = await pair(HANGS);
  const ended = await team.troupe(['run', 'pair', '--junit', 'nowhere/report.xml', '--output-format', 'json']);
  expect({ exitCode: ended.exitCode, asked: team.server.log() }).toEqual({ exitCode: 2, asked: [] });
  expect(ended.stderr).toMatch(/--junit: nowhere\/report\.xml cannot be written/);
});

test.concurrent('in GitHub Actions, and nowhere else, a run annotates its job and adds to the summary', async () => {
  await using team = await pair('[{ reply: Done. }]');
  const summary = join(team.folder, 'summary.md');
  const run = async (actions: Record<string, string>) =>
    team.troupe(['run', 'pair', '--output-format', 'json', '--max-turns', '9'], {
      env: { ...team.env, GITHUB_STEP_SUMMARY: summary, ...actions },
      timeout: 100_000,
    });
  const elsewhere = await run({});
  expect(elsewhere.stderr).not.toContain('::');
  expect(await readdir(team.folder)).not.toContain('summary.md');

  const there = await run({ GITHUB_ACTIONS: 'true' });
  expect(there.stderr).toMatch(/^::notice title=troupe run-[0-9a-f]{8}::The team is done\.$/m);
  expect(there.stdout).not.toContain('::');
  const failed = await team.troupe(['run', '--template', 'pear'], {
    env: { ...team.env, GITHUB_STEP_SUMMARY: summary, GITHUB_ACTIONS: 'true' },
  });
  expect(failed.stderr).toMatch(/^::error title=troupe run%3A error_during_execution::.*pear/m);
  const text = await readFile(summary, 'utf8');
  expect(text).toMatch(
    /^## troupe run-[0-9a-f]{8}: done\n[\s\S]*\| bob \| idle \|[\s\S]*\| 1 \| Dig \| completed \| bob \|/,
  );
  expect(text.match(/^## /gm)).toHaveLength(2);
});
