import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runFacts } from '../../src/app/run/runFacts.js';
import { takeSnapshot } from '../../src/app/run/snapshot.js';
import { claimMember } from '../../src/app/session/claim.js';
import { becomeLaunched } from '../../src/app/session/paneEnvironment.js';
import { resolveMember } from '../../src/app/start/memberRequest.js';
import { freeTeamName } from '../../src/app/start/teamName.js';
import { releaseWorktree } from '../../src/app/start/worktrees.js';
import { loadAgents } from '../../src/definitions/load.js';
import { systemIds } from '../../src/host/ids.js';
import { procStart, thisProcess } from '../../src/host/processes.js';
import { run } from '../../src/host/run.js';
import { sendProtocol } from '../../src/team/messages.js';
import { readRunRecord } from '../../src/team/runRecord.js';
import { createWorktree } from '../../src/worktree/create.js';
import { commitIn, initRepo } from '../helpers/gitRepo.js';
import { DEAD, launchOf, SETTINGS, type TeamOnDisk, teamOnDisk } from '../helpers/team.js';

test('one process owns an inbox: a second one is refused, a dead one’s is taken over with its sums', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await team.writeRecord('bob', { pid: process.ppid, procStart: (await procStart(process.ppid)) ?? '' });
  await expect(claimMember(team.place, launchOf())).rejects.toThrow(`runs already, in process ${process.ppid}`);
  await team.writeRecord('bob', { ...DEAD, turns: 5, costUsd: 1.5, counter: 9 });
  await claimMember(team.place, launchOf({ generation: 2 }));
  expect(await readRunRecord(team.paths.runRecord('bob'))).toMatchObject({
    ...(await thisProcess()),
    generation: 2,
    state: 'starting',
    turns: 5,
    costUsd: 1.5,
  });
  expect((await readRunRecord(team.paths.runRecord('bob')))?.counter).toBeGreaterThan(9);
});

test('a process whose slot a later start has taken, as its own starter died, leaves the inbox to that one', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await team.join({ ...team.member('bob'), generation: 2 });
  await expect(claimMember(team.place, launchOf())).rejects.toThrow('was started anew');
  await claimMember(team.place, launchOf({ generation: 2 }));
});

test('of two that claim at once one is refused', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const claims = await Promise.allSettled([claimMember(team.place, launchOf()), claimMember(team.place, launchOf())]);
  expect(claims.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
});

test('a process in a pane has the environment of whoever started it, but for what belongs to its terminal', async () => {
  await using team = await teamOnDisk();
  const before = { ...process.env };
  const folder = process.cwd();
  try {
    process.env['TMUX_PANE'] = '%7';
    process.env['ONLY_THE_SERVER'] = 'x';
    delete process.env['TERM'];
    const launch = launchOf({
      cwd: team.cwd,
      environment: { PATH: '/launch/bin', TMUX_PANE: '%1', TERM: 'vt100', PWD: '/elsewhere', KEY: 'secret' },
    });
    const { environment: became } = becomeLaunched(launch);
    expect(became).toMatchObject({ PATH: '/launch/bin', KEY: 'secret', TMUX_PANE: '%7' });
    for (const name of ['ONLY_THE_SERVER', 'TERM'])
      expect([became[name], process.env[name]]).toEqual([undefined, undefined]);
    expect(became['PWD']).not.toBe('/elsewhere');
    expect([process.env['KEY'], process.cwd()]).toEqual(['secret', team.cwd]);
  } finally {
    for (const name of Object.keys(process.env)) delete process.env[name];
    Object.assign(process.env, before);
    process.chdir(folder);
  }
});

test('a team without a given name is called after the first free one; a folder that cannot name a team is no obstacle', async () => {
  await using team = await teamOnDisk();
  const free = (fallback: string) => freeTeamName(team.home, undefined, fallback, false);
  expect(await free('blue')).toEqual({ name: 'blue', replaces: false });
  expect(await free('RED')).toEqual({ name: 'RED-2', replaces: false });
  expect(await free('my project!')).toEqual({ name: 'my-project-', replaces: false });
  expect((await free('...')).name).toBe('team');
  expect((await free('𝒳'.repeat(70))).name.isWellFormed()).toBe(true);
  expect((await free('x'.repeat(300))).name).toBe('x'.repeat(40));
});

test('a given name: refused while its lead lives, free when a dead team holds nothing, an offer when it holds something', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const free = (replace = false) => freeTeamName(team.home, 'red', 'x', replace);
  const lead = (process: { pid: number; procStart: string }) =>
    team.file.update((file) => ({ ...file, leadProcess: { ...process, claimedAt: 0 } }));
  await lead(await thisProcess());
  await expect(free(true)).rejects.toThrow(`its lead runs in process ${process.pid}`);
  await lead(DEAD);
  expect(await free()).toEqual({ name: 'red', replaces: true });
  await team.inbox('bob').deliver({ from: 'user', text: 'hi' });
  await team.tasks.create({ subject: 's', description: '' });
  await team.join({ ...team.member('bob'), worktreePath: team.cwd });
  await expect(free()).rejects.toThrow(
    'it holds 1 unread message, 1 open task, the worktree of bob. Go on with it: troupe resume red.',
  );
  expect(await free(true)).toEqual({ name: 'red', replaces: true });
});

test('a snapshot tells the dead from the living, what is unread, what is asked and what may be taken', async () => {
  await using team = await teamOnDisk({ members: ['bob', 'carol', 'dave'] });
  await team.writeRecord('bob', { state: 'working', waitingFor: 'plan', counter: 4 });
  await team.writeRecord('carol', { ...DEAD, state: 'working' });
  await team.inbox('bob').deliver({ from: 'user', text: 'hi' });
  const id = systemIds.uuid();
  await team.requests.create({ id, kind: 'plan', from: 'bob' });
  await team.tasks.create({ subject: 'a', description: '' });
  await team.tasks.create({ subject: 'b', description: '' });
  await team.tasks.update('2', { addBlockedBy: ['1'] });
  expect(await takeSnapshot(team.place, team.home)).toMatchObject({
    members: [
      { name: 'team-lead', isLead: true, state: 'starting' },
      { name: 'bob', state: 'working', waitingFor: 'plan', counter: 4, unread: 1 },
      { name: 'carol', state: 'terminated' },
      { name: 'dave', state: 'starting', unread: 0 },
    ],
    requests: [{ id, kind: 'plan', from: 'bob' }],
    tasks: [
      { id: '1', takeable: true },
      { id: '2', takeable: false },
    ],
  });
});

const tokens = (input: number) => ({ input, output: 1, cacheRead: 0, cacheWrite: 0 });

test('a run’s facts: sums over all members, what was denied, and each one’s last report', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  const model = 'claude-opus-5-5';
  const models = { [model]: { ...tokens(2), costUsd: 0.5 } };
  await team.writeRecord('team-lead', { turns: 3, costUsd: 0.5, apiMs: 40, tokens: tokens(2), models });
  await team.writeRecord('bob', { turns: 4, costUsd: 0.25, apiMs: 2, tokens: tokens(5), models });
  const call = { tool_name: 'Bash', tool_use_id: 't', tool_input: { command: 'x' } };
  await team.events.append('tool_denied', { member: 'bob', ...call });
  for (const result of ['first', 'last'])
    await sendProtocol(team.place, { from: 'bob' }, 'team-lead', 'idle_notification', {
      idleReason: 'available',
      result,
    });
  const facts = await runFacts(team.place, { sessionId: 's', durationMs: 1.4 });
  expect(facts).toMatchObject({
    team: 'red',
    num_turns: 3,
    duration_ms: 1,
    duration_api_ms: 42,
    total_cost_usd: 0.75,
    usage: { input_tokens: 7, output_tokens: 2 },
    modelUsage: { [model]: { inputTokens: 4, costUSD: 1 } },
    permission_denials: [{ ...call, member: 'bob' }],
    members: [{ name: 'team-lead' }, { name: 'bob', turns: 4, lastReport: 'last' }],
  });
});

async function resolver(team: TeamOnDisk, leadMode: typeof SETTINGS.leadMode = 'acceptEdits') {
  const agentsFolder = join(team.cwd, '.claude', 'agents');
  await mkdir(agentsFolder, { recursive: true });
  await writeFile(
    join(agentsFolder, 'fast.md'),
    '---\nname: fast\ndescription: d\nmodel: haiku\npermissionMode: bypassPermissions\ncolor: red\nisolation: worktree\n---\nbody\n',
  );
  const agents = await loadAgents({ cwd: team.cwd, userHome: team.dir, trusted: true });
  const settings = { ...SETTINGS, leadMode };
  return (wish: Omit<Parameters<typeof resolveMember>[0], 'name'>) =>
    resolveMember({ name: 'bob', ...wish }, { agents, settings, cwd: team.cwd, environment: {} });
}

test('what a member is: the wish, then its definition, then the team; a model is always concrete', async () => {
  await using team = await teamOnDisk();
  const resolve = await resolver(team);
  expect(resolve({})).toMatchObject({
    agentType: 'general-purpose',
    model: SETTINGS.model,
    mode: 'acceptEdits',
    cwd: team.cwd,
  });
  expect(resolve({ agent: 'fast' })).toMatchObject({
    color: 'red',
    worktree: true,
    model: expect.stringMatching(/^claude-haiku-/),
  });
  expect(resolve({ agent: 'fast', model: 'opus', color: 'blue', worktree: false, cwd: 'sub' })).toMatchObject({
    color: 'blue',
    worktree: false,
    model: expect.stringMatching(/^claude-opus-/),
    cwd: join(team.cwd, 'sub'),
  });
  expect(() => resolve({ agent: 'fsat' })).toThrow(/fsat[\s\S]*fast/);
});

test('no member’s mode is wider than the lead’s; a plan comes first whatever else is said', async () => {
  await using team = await teamOnDisk();
  const resolve = await resolver(team);
  expect(resolve({ mode: 'bypassPermissions' }).mode).toBe('acceptEdits');
  expect(resolve({ agent: 'fast' }).mode).toBe('acceptEdits');
  expect(resolve({ mode: 'default' }).mode).toBe('default');
  for (const wish of [{ plan: true }, { mode: 'plan' as const }])
    expect(resolve(wish)).toMatchObject({ mode: 'plan', modeAfterPlan: 'acceptEdits' });
  expect(resolve({ plan: true, mode: 'default' })).toMatchObject({ mode: 'plan', modeAfterPlan: 'default' });
  expect((await resolver(team, 'plan'))({ mode: 'default' }).mode).toBe('plan');
});

test('a member’s worktree goes when all it holds is in the project’s branch, else it stays with the reason', async () => {
  await using team = await teamOnDisk();
  await rm(team.cwd, { recursive: true });
  const repo = await initRepo(team.cwd);
  const tree = await createWorktree({ repo: team.cwd, name: 'bob', run });
  const member = {
    ...team.member('bob'),
    worktreePath: tree.path,
    worktreeBranch: tree.branch,
    worktreeBase: tree.base,
  };
  await commitIn(tree.path, 'new.txt');
  expect(await releaseWorktree({ run }, team.cwd, member)).toMatchObject({
    member: 'bob',
    path: tree.path,
    branch: tree.branch,
  });
  await repo.git('merge', '--quiet', tree.branch);
  expect(await releaseWorktree({ run }, team.cwd, member)).toBeUndefined();
  expect(await repo.git('branch', '--list', tree.branch)).toBe('');
  expect(await releaseWorktree({ run }, team.cwd, member)).toBeUndefined();
});
