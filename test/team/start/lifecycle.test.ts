import { writeFileSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { thisProcess } from '../../../src/host/processes.js';
import type { Backend } from '../../../src/panes/backend.js';
import { liveRecord, readRunRecord } from '../../../src/team/runRecord.js';
import { startMember, startMembers } from '../../../src/team/start/lifecycle.js';
import { settleLeftStarts } from '../../../src/team/start/settle.js';
import { COLORS } from '../../../src/util/colors.js';
import { initRepo } from '../../helpers/gitRepo.js';
import { DEAD, type TeamOnDisk, teamOnDisk } from '../../helpers/team.js';
import { depsIn, everything, membersIn, requestIn } from './starting.js';

/** A member that died, with its mail, its log and its record. */
async function deadBob(team: TeamOnDisk) {
  await team.writeRecord('bob', { ...DEAD, state: 'working', turns: 7 });
  await team.inbox('bob').deliver({ from: 'alice', text: 'unread' });
  const done = await team.inbox('bob').deliver({ from: 'alice', text: 'read' });
  await team.inbox('bob').markRead([done.msg_id]);
}

const names = async (team: TeamOnDisk) => (await team.file.require()).members.map(({ name }) => name);

test('a started member is in the TeamFile with its pane, was prompted before it ran, and is told in the events', async () => {
  await using team = await teamOnDisk();
  const promptedBefore: number[] = [];
  const backend = membersIn(team, { before: async () => promptedBefore.push(await team.inbox('bob').waiting()) });
  const { member } = await startMember(
    depsIn(team, backend),
    requestIn(team, 'bob', { prompt: 'do it', requestId: 'r1' }),
  );
  expect(promptedBefore).toEqual([1]);
  expect((await team.file.require()).members[1]).toEqual(member);
  expect(member).toMatchObject({
    agentId: 'bob@red',
    tmuxPaneId: 'in-process',
    generation: 1,
    color: 'blue',
    mode: 'default',
  });
  expect(member).not.toHaveProperty('reservedBy');
  expect(await team.events.read()).toMatchObject([{ type: 'spawned', member: 'bob', pane: 'in-process' }]);
  expect(await team.mail('bob')).toMatchObject([{ from: 'team-lead', text: 'do it' }]);
  expect(await readdir(team.paths.launch)).toEqual([]);
});

test('the launch file holds what it needs, for its user’s eyes only, with secrets out of the arguments', async () => {
  await using team = await teamOnDisk();
  const seen: unknown[] = [];
  const inner = membersIn(team);
  const backend: Backend = {
    ...inner,
    async start(request) {
      seen.push(JSON.parse(await readFile(request.launchFile, 'utf8')), (await stat(request.launchFile)).mode & 0o777);
      return inner.start(request);
    },
  };
  await startMember(depsIn(team, backend), requestIn(team, 'bob', { modeAfterPlan: 'acceptEdits', mode: 'plan' }));
  expect(seen).toMatchObject([
    {
      argv: ['node', 'troupe', 'teammate', '--launch', team.paths.launchFile('bob')],
      environment: { SECRET: 'x', TROUPE_HOME: team.home.root, TROUPE_TEAM: 'red' },
      mode: 'plan',
      modeAfterPlan: 'acceptEdits',
      generation: 1,
    },
    0o600,
  ]);
});

const noPane = (team: TeamOnDisk): Backend => ({
  ...membersIn(team),
  start: () => Promise.reject(new Error('tmux: no space for new pane')),
});
const neverReady = (team: TeamOnDisk): Backend => ({
  ...membersIn(team),
  start: async () => ({ paneId: 'in-process', windowId: 'bob', ownsPane: true }),
  ended: async () => ({ code: null, signal: 'SIGKILL', lastLines: 'Killed' }),
});
const dying = (team: TeamOnDisk) => membersIn(team, { dies: { code: 3, lastLines: 'SyntaxError: x' } });

const failures = [
  ['a folder that is not there', membersIn, { cwd: '/nowhere/at/all' }, /not a directory/],
  ['a reserved name', membersIn, { name: 'team-lead' }, /reserved/],
  ['a worktree where there is no repository', membersIn, { worktree: true }, /not in a git repository/],
  ['a pane that cannot be had', noPane, {}, /no space for new pane/],
  ['a process that dies first', dying, {}, /ended before it was ready \(exit code 3\)[\s\S]*SyntaxError: x/],
  ['a process that is killed', neverReady, {}, /signal SIGKILL[\s\S]*Killed/],
] as const;

test.each(failures)('%s: the error says so, and nothing is left of the start', async (_, backend, request, message) => {
  await using team = await teamOnDisk();
  const before = await everything(team);
  const asked = requestIn(team, 'bob', { prompt: 'x'.repeat(200_000), ...request });
  await expect(startMember(depsIn(team, backend(team)), asked)).rejects.toThrow(message);
  expect(await everything(team)).toEqual(before);
});

test.each(failures)(
  '%s, in the slot of a dead namesake: its mail, its record and its place are as they were',
  async (_, backend, request, message) => {
    await using team = await teamOnDisk({ members: ['bob'] });
    await deadBob(team);
    const before = await everything(team);
    const asked = requestIn(team, 'bob', { prompt: 'new', ...request });
    await expect(startMember(depsIn(team, backend(team)), asked)).rejects.toThrow(message);
    expect(await everything(team)).toEqual(before);
  },
);

test.each([
  ['a pane that cannot be had', noPane],
  ['a process that dies first', dying],
])('%s: the worktree and the branch that were made for it are gone', async (_, backend) => {
  await using team = await teamOnDisk();
  await rm(team.cwd, { recursive: true });
  await initRepo(team.cwd);
  const before = await everything(team);
  await expect(startMember(depsIn(team, backend(team)), requestIn(team, 'bob', { worktree: true }))).rejects.toThrow();
  expect(await everything(team)).toEqual(before);
});

test('a worktree of its own: on a branch of its own, outside git’s eyes, and written down', async () => {
  await using team = await teamOnDisk();
  await rm(team.cwd, { recursive: true });
  const repo = await initRepo(team.cwd);
  const { member } = await startMember(depsIn(team, membersIn(team)), requestIn(team, 'bob', { worktree: true }));
  expect(member.worktreePath).toBe(member.cwd);
  expect(member.cwd).toMatch(join(team.cwd, '.claude/worktrees/red-bob-'));
  expect(await repo.git('rev-parse', `refs/heads/${member.worktreeBranch}`)).toBe(member.worktreeBase);
  expect(await repo.git('status', '--porcelain')).toBe('');
});

test('mail that others send while a start fails is kept for the dead namesake', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await deadBob(team);
  const backend = membersIn(team, {
    dies: { code: 1, lastLines: '' },
    before: async () => {
      await team.inbox('bob').deliver({ from: 'alice', text: 'late' });
      await team.inbox('bob').fold();
    },
  });
  await expect(startMember(depsIn(team, backend), requestIn(team, 'bob', { prompt: 'new' }))).rejects.toThrow();
  const mail = await team.mail('bob');
  expect(mail.map(({ text, read }) => [text, read])).toEqual([
    ['unread', false],
    ['read', true],
    ['late', false],
  ]);
});

test('a live member keeps its name; so does one that is just being started', async () => {
  await using team = await teamOnDisk();
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const inner = membersIn(team);
  const late: Backend = { ...inner, start: (request) => gate.then(() => inner.start(request)) };
  const deps = depsIn(team, late);
  const first = startMember(deps, requestIn(team, 'bob'));
  await expect.poll(() => names(team)).toContain('bob');
  await expect(startMember(deps, requestIn(team, 'BOB'))).rejects.toThrow('living member "bob"');
  open();
  await first;
  await expect(startMember(deps, requestIn(team, 'Bob'))).rejects.toThrow('living member "bob"');
  expect(await names(team)).toEqual(['team-lead', 'bob']);
});

test('a dead member’s slot is taken by the next generation, and its unread mail goes to the log', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await deadBob(team);
  const [, old] = (await team.file.require()).members;
  const deps = depsIn(team, membersIn(team));
  const { member, movedMail } = await startMember(deps, requestIn(team, 'BOB', { prompt: 'new' }));
  expect(movedMail).toBe(1);
  expect(member).toMatchObject({ name: 'bob', agentId: 'bob@red', generation: 2 });
  expect(member.sessionId).not.toBe(old?.sessionId);
  const unread = (await team.mail('bob')).filter(({ read }) => !read);
  expect(unread.map(({ text }) => text)).toEqual(['new']);
  expect(await readFile(join(team.paths.inboxes, 'bob.log.jsonl'), 'utf8')).toContain('"unread"');
});

test('a restart goes on with its session, its mail and its worktree', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await deadBob(team);
  const [, old] = (await team.file.require()).members;
  const { member, movedMail } = await startMember(
    depsIn(team, membersIn(team)),
    requestIn(team, 'bob', { continues: true }),
  );
  expect([movedMail, member.sessionId, member.generation]).toEqual([0, old?.sessionId, 2]);
  expect(await team.inbox('bob').waiting()).toBe(1);
});

test('the same request never starts two, whatever it names them, one after the other or at once', async () => {
  await using team = await teamOnDisk();
  const deps = depsIn(team, membersIn(team));
  const started = await Promise.all(
    ['bob', 'bob', 'carol'].map((name) => startMember(deps, requestIn(team, name, { requestId: 'toolu_1' }))),
  );
  expect(new Set(started.map(({ member }) => member.sessionId)).size).toBe(1);
  const again = await startMember(deps, requestIn(team, 'bob', { requestId: 'toolu_1' }));
  expect(again.member).toEqual((await team.file.require()).members[1]);
  expect((await names(team)).length).toBe(2);
  expect((await team.events.read()).length).toBe(1);
});

test('ten that start at once are ten members, with every colour before any comes twice', async () => {
  await using team = await teamOnDisk();
  const deps = depsIn(team, membersIn(team));
  const all = Array.from({ length: 10 }, (_, index) => `member-${index}`);
  await Promise.all(all.map((name) => startMember(deps, requestIn(team, name, { prompt: name }))));
  const { members } = await team.file.require();
  expect(members.map(({ name }) => name).sort()).toEqual([...all, 'team-lead'].sort());
  expect(new Set(members.map(({ color }) => color).filter(Boolean))).toEqual(new Set(COLORS));
  for (const name of all) expect((await team.mail(name)).map(({ text }) => text)).toEqual([name]);
});

test('those that are started together are written down, get their colours and their panes in their order', async () => {
  await using team = await teamOnDisk();
  const inner = membersIn(team);
  const panes: string[] = [];
  const backend: Backend = {
    ...inner,
    start(request) {
      panes.push(request.member);
      return inner.start(request);
    },
  };
  const all = Array.from({ length: 10 }, (_, index) => `member-${index}`);
  // Some have more to prepare than others.
  const requests = all.map((name, index) => requestIn(team, name, { prompt: 'x'.repeat(index % 3 ? 1 : 200_000) }));
  const started = await startMembers(depsIn(team, backend), requests, 4);
  expect(started.map(({ member }) => member.name)).toEqual(all);
  expect(panes).toEqual(all);
  const { members } = await team.file.require();
  expect(members.slice(1).map(({ name }) => name)).toEqual(all);
  expect(members.slice(1, COLORS.length + 1).map(({ color }) => color)).toEqual(COLORS);
});

test('of several, one that cannot be started leaves no slot of those that were not begun', async () => {
  await using team = await teamOnDisk();
  const inner = membersIn(team);
  const backend: Backend = {
    ...inner,
    start: (request) => (request.member === 'b' ? Promise.reject(new Error('no space')) : inner.start(request)),
  };
  const requests = ['a', 'b', 'c', 'd'].map((name) => requestIn(team, name));
  await expect(startMembers(depsIn(team, backend), requests, 1)).rejects.toThrow('no space');
  expect(await names(team)).toEqual(['team-lead', 'a']);
  const again = ['a', 'e'].map((name) => requestIn(team, name));
  await expect(startMembers(depsIn(team, inner), again, 1)).rejects.toThrow('living member "a"');
  expect(await names(team)).toEqual(['team-lead', 'a']);
});

test('a colour that is asked for is given, and a namesake keeps the one it had', async () => {
  await using team = await teamOnDisk({ members: ['bob'] });
  await team.join({ ...team.member('bob'), color: 'pink' });
  const deps = depsIn(team, membersIn(team));
  expect((await startMember(deps, requestIn(team, 'bob'))).member.color).toBe('pink');
  expect((await startMember(deps, requestIn(team, 'carol', { color: 'pink' }))).member.color).toBe('pink');
  expect((await startMember(deps, requestIn(team, 'dave'))).member.color).toBe('blue');
});

test('a start whose starter was killed blocks nothing', async () => {
  await using team = await teamOnDisk();
  await team.join({ ...team.member('bob'), reservedBy: DEAD, requestId: 'toolu_1' });
  const { member } = await startMember(depsIn(team, membersIn(team)), requestIn(team, 'bob', { requestId: 'toolu_1' }));
  expect(member.generation).toBe(2);
  const record = await readRunRecord(team.paths.runRecord('bob'));
  expect(record && (await liveRecord(record)).state).toBe('idle');
});

/** Bob runs, and whoever started him was killed before he was written down. */
async function leftRunning(team: TeamOnDisk) {
  const backend = membersIn(team);
  const { member, pane } = await startMember(depsIn(team, backend), requestIn(team, 'bob', { requestId: 'toolu_1' }));
  const { ownsPane: _, windowId: __, backendType: ___, ...unplaced } = member;
  await team.join({ ...unplaced, tmuxPaneId: '', reservedBy: DEAD });
  return { backend, member, pane };
}

test('a member whose starter was killed when it ran already is written down by its lead, and the same request finds it', async () => {
  await using team = await teamOnDisk();
  const { backend, member, pane } = await leftRunning(team);
  const again = startMember(depsIn(team, backend), requestIn(team, 'bob', { requestId: 'toolu_1' }));
  await settleLeftStarts(team.place, backend);
  expect(await again).toEqual({ member, pane, movedMail: 0 });
  expect((await team.file.require()).members[1]).toEqual(member);
  await settleLeftStarts(team.place, backend);
  expect((await team.events.read()).map(({ type }) => type)).toEqual(['spawned', 'spawned']);
});

test('one that says so just before its slot is taken anew keeps it, and the same request finds it', async () => {
  await using team = await teamOnDisk();
  const { backend, member, pane } = await leftRunning(team);
  const path = team.paths.runRecord('bob');
  const record = await readFile(path, 'utf8');
  await rm(path);
  let looks = 0;
  const paths = {
    ...team.paths,
    get config() {
      // The first look found nobody in the slot; the second is to take it.
      if (++looks === 2) {
        writeFileSync(path, record);
        void settleLeftStarts(team.place, backend);
      }
      return team.paths.config;
    },
  };
  const deps = { ...depsIn(team, backend), place: { ...team.place, paths } };
  const again = await startMember(deps, requestIn(team, 'bob', { requestId: 'toolu_1' }));
  expect(again).toEqual({ member, pane, movedMail: 0 });
});

test('what never ran, is being started or has ended is left alone by that', async () => {
  await using team = await teamOnDisk({ members: ['carol', 'dave'] });
  await team.join({ ...team.member('bob'), reservedBy: DEAD });
  await team.join({ ...team.member('carol'), reservedBy: await thisProcess() });
  await team.writeRecord('carol', { readyAt: 1 });
  await team.join({ ...team.member('dave'), reservedBy: DEAD });
  await team.writeRecord('dave', { readyAt: 1, state: 'exited' });
  const before = await readFile(team.paths.config, 'utf8');
  const found: string[] = [];
  const backend = membersIn(team);
  const find: Backend['find'] = async ({ member }) => {
    found.push(member);
    return { paneId: '%1', ownsPane: true };
  };
  await settleLeftStarts(team.place, { ...backend, find });
  expect([found, await readFile(team.paths.config, 'utf8')]).toEqual([[], before]);
});
