import { expect, test } from 'vitest';
import { eventually } from '../helpers/eventually.js';
import { live } from '../helpers/headless.js';
import { STARTS_WITHIN, type TmuxStage, tmuxStage } from '../helpers/tmuxTeam.js';

const TEAM = `---
name: pair
description: A lead and one more.
lead: { permissionMode: bypassPermissions }
members: [{ name: bob, permissionMode: bypassPermissions, prompt: Look. }]
---
Go.
`;
const HANGS = 'agents: { team-lead: [{ reply: I wait. }], bob: [{ fault: { stream: hang, times: 9 }, reply: never }] }';
/** Whoever has nothing to finish leaves soon; the lead of the next run is answered. */
const LEAD_HANGS = `
agents:
  team-lead: [{ when: { user: Hello }, reply: Hello. }, { fault: { stream: hang, times: 9 }, reply: never }]
  bob: [{ reply: I looked. }]
`;
const RUN = ['run', 'pair', '--backend', 'tmux', '--output-format', 'json'];

async function pair(script = HANGS): Promise<TmuxStage> {
  const team = await tmuxStage(script);
  await team.template('pair', TEAM);
  return team;
}

test.each([
  { what: 'success', script: 'agents: { "*": [{ reply: Done. }] }', args: [], exitCode: 0 },
  { what: 'a time-out', script: HANGS, args: ['--timeout', '6s'], exitCode: 124 },
  {
    what: 'a failure',
    script: 'agents: { team-lead: [{ fault: { status: 400, times: 9 }, reply: never }], bob: [{ reply: Done. }] }',
    args: [],
    exitCode: 1,
  },
])('a run in tmux leaves no server, no socket and no process: $what', async ({ script, args, exitCode }) => {
  await using team = await pair(script);
  const before = await team.traces();
  const ended = await team.troupe([...RUN, ...args]);
  expect(ended.exitCode, ended.stderr).toBe(exitCode);
  expect(await team.traces()).toEqual(before);
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  'a run in tmux leaves no server, no socket and no process: %s',
  async (signal) => {
    await using team = await pair();
    const before = await team.traces();
    await using running = await live(team, RUN, team.repo);
    await eventually(() => expect(team.heard('bob')).toHaveLength(1));
    process.kill(running.pid, signal);
    await running.ended();
    expect(await team.traces()).toEqual(before);
  },
);

test.each([
  { what: 'the next start', args: ['run', 'Hello.', '--output-format', 'json'] },
  { what: 'gc', args: ['gc'] },
])('what a killed run left in tmux is ended by $what, and its team stays', async ({ args }) => {
  await using team = await pair(LEAD_HANGS);
  // Whoever is killed may hold a lock just then: it is another's when it is stale.
  const traces = async () => ({ ...(await team.traces()), locks: [] });
  const before = await traces();
  await using running = await live(team, [...RUN, '--name', 'killed'], team.repo);
  await eventually(() => expect(team.heard('bob')).toHaveLength(1));
  process.kill(running.pid, 'SIGKILL');
  await running.ended();
  // A member sees by itself that its lead is gone.
  await eventually(async () => {
    const { members } = await team.status();
    expect(members.map(({ state }) => state).toSorted()).toEqual(['exited', 'terminated']);
  }, STARTS_WITHIN);
  expect((await team.traces()).sockets).toHaveLength(1);
  const next = await team.troupe(args);
  expect(next.exitCode, next.stderr).toBe(0);
  await eventually(async () => expect(await traces()).toEqual(before));
});
