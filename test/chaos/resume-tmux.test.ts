import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { eventually } from '../helpers/eventually.js';
import { PAIR, PAIR_SCRIPT } from '../helpers/pair.js';
import { Json, Request, Task } from '../helpers/shapes.js';
import { isRunning, type TmuxStage, tmuxStage } from '../helpers/tmuxTeam.js';

const CREW_SCRIPT = `
agents:
  team-lead: [{ reply: Noted by the lead. }]
  worker:
    - { when: { user: 'Task 1 of the shared list is yours' }, once: true, reply: [{ tool: TaskUpdate, input: { taskId: '1', status: in_progress } }] }
    - when: { tool: TaskUpdate }
      once: true
      reply: [{ tool: Bash, input: { command: 'echo ran >> ran; setsid sleep 300 & echo $! > escaped; sleep 200' } }]
    - { when: { user: 'Go on with what you were doing' }, reply: Taken up again. }
    - { reply: Noted by the worker. }
  planner:
    - { when: { user: '^draft$' }, once: true, reply: [{ tool: ExitPlanMode, input: { plan: Dig here. } }] }
    - { when: { user: 'approved by user' }, reply: I carry it out. }
    - { reply: Noted by the planner. }
  asker:
    - { when: { user: 'touch it' }, once: true, reply: [{ tool: Bash, input: { command: touch touched } }] }
    - { when: { user: 'Go on with what you were doing' }, once: true, reply: [{ tool: Bash, input: { command: touch touched } }] }
    - { reply: Noted by the asker. }
  boss:
    - when: { user: 'look around' }
      once: true
      reply: [{ tool: Agent, input: { description: a look, prompt: look for long, subagent_type: general-purpose, run_in_background: true } }]
    - { reply: Noted by the boss. }
  boss/*:
    - { when: { turn: 1 }, reply: [{ tool: Bash, input: { command: 'touch looking; sleep 200' } }] }
`;

const CREW = `---
name: crew
description: Everything at once.
approver: human
members:
  - { name: worker, permissionMode: bypassPermissions, prompt: Remember 4711. }
  - { name: planner, plan: true, prompt: draft }
  - { name: asker, permissionMode: default, prompt: touch it }
  - { name: boss, permissionMode: bypassPermissions, prompt: look around, worktree: true }
lead: { permissionMode: bypassPermissions }
tasks:
  - { subject: Dig, owner: worker }
---
Wait.
`;

async function pair(stage: TmuxStage): Promise<void> {
  await stage.template('pair', PAIR);
  await stage.ok('up', 'pair', '--name', 'back', '--detach', '--backend', 'tmux');
  await stage.until('planner', 'idle');
  await stage.until('reviewer', 'idle');
  await stage.until('team-lead', 'idle');
}

const Resumed = Json(
  z.looseObject({ team: z.string(), members: z.array(z.looseObject({ name: z.string(), how: z.string() })) }),
);
const resumed = async (stage: TmuxStage, ...args: string[]) =>
  Resumed(await stage.ok('resume', ...args, '--detach', '--json')).members.sort((a, b) => a.name.localeCompare(b.name));

async function killLead(stage: TmuxStage): Promise<void> {
  const { pid } = await stage.member('team-lead');
  process.kill(pid, 'SIGKILL');
  await eventually(async () => expect(await isRunning(pid)).toBe(false));
}

/** SIGKILL to everybody at once, the tmux server too. */
async function killAll(stage: TmuxStage): Promise<void> {
  const { members, tmux } = await stage.status();
  const living = members.filter(({ state }) => state !== 'exited' && state !== 'terminated');
  const pids = [...living.flatMap(({ pid }) => pid ?? []), tmux?.serverPid ?? 0];
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  for (const pid of pids) await eventually(async () => expect(await isRunning(pid)).toBe(false));
}

test('a lead that was killed comes back with its session, and the members that live stay who they are', async () => {
  await using stage = await tmuxStage(PAIR_SCRIPT);
  await pair(stage);
  const before = await stage.status();
  await killLead(stage);
  expect(await resumed(stage, 'back')).toEqual([
    { name: 'planner', how: 'alive' },
    { name: 'reviewer', how: 'alive' },
  ]);
  const lead = await stage.until('team-lead', 'idle');
  const planner = await stage.member('planner');
  expect(planner.pid).toBe(before.members.find(({ name }) => name === 'planner')?.pid);
  expect(lead).toMatchObject({ generation: 2 });
  await stage.ok('send', 'lead', 'Are you there?');
  await eventually(() => expect(stage.heard('team-lead').at(-1)).toContain('Are you there?'));
  expect(stage.heard('team-lead').at(-1)).toContain('Wait for both.');
  // Had they decided to leave, they would by their next heartbeat.
  await eventually(async () => {
    for (const name of ['planner', 'reviewer'])
      expect(Number((await stage.member(name))['heartbeat'])).toBeGreaterThan(Number(planner['heartbeat']) + 5000);
  });
  expect(await stage.status()).toMatchObject({ state: 'running' });
  await stage.ok('down');
  expect(await stage.traces()).toMatchObject({ processes: [], panes: [], sockets: [] });
});

test('a member that was killed alone comes back by restart while its lead lives, and by resume where that is dead too', async () => {
  await using stage = await tmuxStage(PAIR_SCRIPT);
  await pair(stage);
  const killPlanner = async () => {
    process.kill((await stage.member('planner')).pid, 'SIGKILL');
    await stage.until('planner', 'terminated');
  };
  await killPlanner();
  await stage.ok('send', 'planner', 'Sent while you were dead.');
  const refused = await stage.troupe(['resume', 'back', '--detach']);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain('start a member that died again with "troupe restart MEMBER -t back"');
  await stage.ok('restart', 'planner');
  await eventually(() => expect(stage.heard('planner').at(-1)).toContain('Sent while you were dead.'));
  expect(stage.heard('planner').at(-1)).toContain('Wait.');
  expect(await stage.until('planner', 'idle')).toMatchObject({ generation: 2 });

  await killPlanner();
  await killLead(stage);
  expect(await resumed(stage, 'back')).toEqual([
    { name: 'planner', how: 'restarted' },
    { name: 'reviewer', how: 'alive' },
  ]);
  expect(await stage.until('planner', 'idle')).toMatchObject({ generation: 3 });
  await stage.ok('send', 'planner', 'Are you there?');
  await eventually(() => expect(stage.heard('planner').at(-1)).toContain('Are you there?'));
  expect(stage.heard('planner').at(-1)?.split('Sent while you were dead.')).toHaveLength(2);
  const panes = (await stage.tmux('list-panes', '-a', '-F', '#{@troupe_agent}')).split('\n').sort();
  expect(panes).toEqual(['planner', 'reviewer', 'team-lead']);
  await stage.ok('down');
  expect(await stage.traces()).toMatchObject({ processes: [], panes: [], sockets: [] });
});

test('after a kill of everybody in the middle of everything, nothing is lost and nothing is done twice', async () => {
  await using stage = await tmuxStage(CREW_SCRIPT);
  await stage.template('crew', CREW);
  await stage.ok('up', 'crew', '--detach', '--backend', 'tmux');
  await eventually(() => expect(existsSync(join(stage.repo, 'escaped'))).toBe(true));
  await stage.until('planner', 'plan');
  await stage.until('asker', 'permission');
  const boss = await stage.until('boss', 'idle');
  await eventually(() => expect(existsSync(join(boss.worktree ?? '', 'looking'))).toBe(true));
  const [plan] = Json(z.array(Request))(await stage.ok('plans', '--json'));
  const [oldPermission] = Json(z.array(Request))(await stage.ok('permissions', '--json'));
  const escaped = Number(await readFile(join(stage.repo, 'escaped'), 'utf8'));
  await killAll(stage);
  const mail = (await stage.ok('send', 'worker', 'Sent while you were dead.')).trim();
  await stage.ok('approve', plan?.id ?? '', '--feedback', 'Well drawn.');

  expect(await resumed(stage)).toEqual(
    ['asker', 'boss', 'planner', 'worker'].map((name) => ({ name, how: 'restarted' })),
  );
  expect(await isRunning(escaped)).toBe(false);

  // The turn is taken up, the call is not run again, the task is still its own, the mail is there once.
  await eventually(() => expect(stage.heard('worker').at(-1)).toContain('Sent while you were dead.'));
  await stage.until('worker', 'idle');
  const heard = stage.heard('worker').at(-1) ?? '';
  expect(heard).toContain('Remember 4711.');
  expect(heard).toContain('may have happened');
  expect(heard).toContain('Open tasks of the shared list');
  expect(heard.split('Sent while you were dead.')).toHaveLength(2);
  expect(await readFile(join(stage.repo, 'ran'), 'utf8')).toBe('ran\n');
  expect(Json(Task)(await stage.ok('tasks', 'show', '1', '--json'))).toMatchObject({
    status: 'in_progress',
    owner: 'worker',
    ownerGeneration: 2,
  });
  expect(await stage.ok('inbox', 'worker', '--unread', '--json')).not.toContain(mail);

  // The answer that came while it was dead arrives; the permission is asked for anew, the old one closed.
  await eventually(() => expect(stage.heard('planner').at(-1)).toContain('Well drawn.'));
  const asker = await stage.until('asker', 'permission');
  expect(asker.requestId).not.toBe(oldPermission?.id);
  await stage.ok('allow', asker.requestId ?? '');
  await eventually(() => expect(existsSync(join(stage.repo, 'touched'))).toBe(true));

  // The background agent is lost, and its member hears of it once.
  await eventually(() => expect(stage.heard('boss').at(-1)).toContain('lost with its process'));
  expect(stage.heard('boss').at(-1)?.split('lost with its process')).toHaveLength(2);
  expect((await stage.until('boss', 'idle')).worktree).toBe(boss.worktree);
  await stage.ok('down', '--force');
  expect(await stage.traces()).toMatchObject({ processes: [], panes: [], sockets: [] });
});

test('a team whose tmux server was killed is taken down by its lead, and comes back from the archive', async () => {
  await using stage = await tmuxStage(CREW_SCRIPT);
  await stage.template('crew', CREW);
  await stage.ok('up', 'crew', '--detach', '--backend', 'tmux');
  await eventually(() => expect(existsSync(join(stage.repo, 'escaped'))).toBe(true));
  const boss = await stage.until('boss', 'idle');
  await eventually(() => expect(existsSync(join(boss.worktree ?? '', 'looking'))).toBe(true));
  const { tmux } = await stage.status();
  process.kill(tmux?.serverPid ?? 0, 'SIGKILL');
  await eventually(async () => expect(await readdir(join(stage.home, 'teams'))).toEqual([]));
  const back = await resumed(stage, 'crew');
  expect(back.map(({ how }) => how)).toEqual(['restarted', 'restarted', 'restarted', 'restarted']);
  expect(await readdir(join(stage.home, 'archive'))).toEqual([]);
  await eventually(() => expect(stage.heard('worker').at(-1)).toContain('Go on with what you were doing'));
  expect((await stage.until('boss', 'idle')).worktree).toBe(boss.worktree);
  // What asked the members before to end does not end these.
  expect(await stage.ok('logs', '--json')).not.toContain('shutdown_approved');
  for (const name of ['team-lead', 'worker', 'planner', 'asker', 'boss'])
    expect(['exited', 'terminated']).not.toContain((await stage.member(name)).state);
  await stage.ok('down', '--force');
});

test('a member whose worktree is gone is reported, its lead is told, and nobody works in the main checkout for it', async () => {
  await using stage = await tmuxStage(CREW_SCRIPT);
  await stage.template('crew', CREW);
  await stage.ok('up', 'crew', '--detach', '--backend', 'tmux');
  const boss = await stage.until('boss', 'idle');
  await killAll(stage);
  await rm(boss.worktree ?? '', { recursive: true });
  const { stdout, stderr, exitCode } = await stage.troupe(['resume', '--detach', '--json']);
  expect(exitCode, stderr).toBe(0);
  const gone = Resumed(stdout).members.find(({ name }) => name === 'boss');
  expect(gone).toMatchObject({ how: 'gone', because: expect.stringContaining(boss.worktree ?? '?') });
  expect(stderr).toContain(`boss is gone: The worktree ${boss.worktree}`);
  await eventually(() => expect(stage.heard('team-lead').join()).toContain('It could not be started again'));
  expect(await stage.status()).toMatchObject({ state: 'running' });
  await stage.ok('down', '--force');
});

test('a team that lives is not taken over, one that was asked to shrink stays small, and of two who come back one does', async () => {
  await using stage = await tmuxStage(PAIR_SCRIPT);
  await pair(stage);
  const { lead } = await stage.status();
  const living = await stage.troupe(['resume', 'back', '--detach']);
  expect(living).toMatchObject({ exitCode: 2 });
  expect(living.stderr).toContain(`The team "back" runs: its lead lives in process ${lead.pid}.`);
  await stage.ok('shutdown', 'reviewer');
  await stage.ok('send', 'lead', 'Something to lose.');
  await killAll(stage);
  await stage.ok('send', 'planner', 'A word for later.');
  const anew = await stage.troupe(['up', 'pair', '--name', 'back', '--detach', '--backend', 'tmux']);
  expect(anew).toMatchObject({ exitCode: 2 });
  expect(anew.stderr).toContain('troupe resume back');

  const both = await Promise.all([1, 2].map(() => stage.troupe(['resume', 'back', '--detach', '--json'])));
  expect(both.map(({ exitCode }) => exitCode).sort()).toEqual([0, 2]);
  expect(Resumed(both.find(({ exitCode }) => exitCode === 0)?.stdout ?? '').members).toEqual([
    { name: 'planner', how: 'restarted' },
    { name: 'reviewer', how: 'dismissed' },
  ]);
  await eventually(() => expect(stage.heard('planner').at(-1)).toContain('A word for later.'));
  await stage.ok('down');
  const nothing = await stage.troupe(['resume', '--detach']);
  expect(nothing.stderr).toContain('The last one in the archive: troupe resume back');
  const unknown = await stage.troupe(['resume', 'bakc', '--detach']);
  expect(unknown.stderr).toMatch(/No team "bakc", also not in the archive\. Did you mean "?back"?\?/);
  expect(await stage.ok('resume', 'back', '--detach')).toContain('Team "back" is up again.');
  await stage.ok('down');
});
