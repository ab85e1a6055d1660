import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { eventually } from '../helpers/eventually.js';
import { commitIn } from '../helpers/gitRepo.js';
import { Json } from '../helpers/shapes.js';
import { isRunning, type TmuxStage, tmuxStage } from '../helpers/tmuxTeam.js';

const SCRIPT = `
agents:
  team-lead: [{ reply: Noted. }]
  digger:
    - { when: { user: 'let go' }, once: true, reply: [{ tool: Bash, input: { command: 'setsid sleep 300 & echo $! > $HOME/escaped' } }] }
    - { reply: Noted. }
  filler: [{ reply: Noted. }]
`;

const PIT = `---
name: pit
description: Two with worktrees.
members:
  - { name: digger, worktree: true, permissionMode: bypassPermissions }
  - { name: filler, worktree: true }
lead: { permissionMode: bypassPermissions }
---
Wait.
`;

const Cleared = Json(z.array(z.object({ what: z.string(), name: z.string(), done: z.string(), why: z.string() })));

async function pit(team: TmuxStage): Promise<Record<'digger' | 'filler', string>> {
  await team.template('pit', PIT);
  await team.ok('up', 'pit', '--detach', '--backend', 'tmux');
  const of = async (name: string) => (await team.until(name, 'idle')).worktree ?? '';
  const worktrees = { digger: await of('digger'), filler: await of('filler') };
  // Mail that the lead has not read yet would be something that the team holds.
  await eventually(async () => expect((await team.mail('team-lead')).filter(({ read }) => !read)).toEqual([]));
  await team.until('team-lead', 'idle');
  return worktrees;
}

async function killAll(team: TmuxStage): Promise<void> {
  const { members, tmux } = await team.status();
  for (const pid of [...members.flatMap(({ pid }) => pid ?? []), tmux?.serverPid ?? 0]) {
    process.kill(pid, 'SIGKILL');
    await eventually(async () => expect(await isRunning(pid)).toBe(false));
  }
}

const gc = async (team: TmuxStage, ...args: string[]) => Cleared(await team.ok('gc', '--json', ...args));
const escapedIn = (team: TmuxStage) => join(team.env['HOME'] ?? '', 'escaped');

test('a dead team that holds something is kept, with the way back; its orphans are ended; what is left at last goes', async () => {
  await using team = await tmuxStage(SCRIPT);
  const { digger, filler } = await pit(team);
  await team.tell('digger', 'let go');
  await eventually(() => expect(existsSync(escapedIn(team))).toBe(true));
  await team.until('digger', 'idle');
  await writeFile(join(digger, 'found.txt'), 'gold');
  const { tmux } = await team.status();
  await killAll(team);

  const shown = await gc(team, '--dry-run');
  expect(shown).toContainEqual(expect.objectContaining({ what: 'process', done: 'ended' }));
  expect(shown).toContainEqual(
    expect.objectContaining({
      what: 'team',
      name: 'pit',
      done: 'kept',
      why: expect.stringContaining('troupe resume pit'),
    }),
  );
  const [orphan] = shown.filter(({ what }) => what === 'process');
  expect(await isRunning(Number(orphan?.name))).toBe(true);
  expect((await team.troupe(['doctor'])).stdout).toContain('troupe gc');

  expect(await gc(team)).toEqual(expect.arrayContaining([expect.objectContaining({ what: 'process', done: 'ended' })]));
  expect(await isRunning(Number(orphan?.name))).toBe(false);
  expect(existsSync(tmux?.socketPath ?? '')).toBe(false);
  expect(existsSync(digger)).toBe(true);
  expect(existsSync(filler)).toBe(true);

  // Taken down it goes to the archive; the worktree with something in it stays until it is merged.
  await team.ok('down', 'pit');
  expect(existsSync(filler)).toBe(false);
  const listed = JSON.parse(await team.ok('worktrees', '--json'));
  expect(listed).toMatchObject([
    { path: digger, team: 'pit', member: 'digger', archived: true, live: false, holds: ['1 file untracked'] },
  ]);
  expect(await team.ok('worktrees', 'prune')).toMatch(/^kept +\S+digger\S* +1 file untracked$/);
  const commit = await commitIn(digger, 'found.txt', 'gold');
  expect(JSON.parse(await team.ok('worktrees', '--json'))).toMatchObject([
    { holds: [expect.stringContaining('1 commit')] },
  ]);
  await merge(team, commit);
  expect(JSON.parse(await team.ok('worktrees', 'prune', '--json'))).toMatchObject([{ path: digger, removed: true }]);
  expect(existsSync(digger)).toBe(false);
  expect(await team.ok('gc')).toBe('Nothing to clear away.');
});

test('a dead team that holds nothing goes to the archive, and from there, with its sessions, when its time is over', async () => {
  await using team = await tmuxStage(SCRIPT);
  await pit(team);
  await killAll(team);
  const { members } = await team.status();
  expect(members).toHaveLength(3);
  for (const name of ['digger', 'filler']) await rm((await team.member(name)).worktree ?? '', { recursive: true });
  expect(await gc(team)).toContainEqual({
    what: 'team',
    name: 'pit',
    done: 'archived',
    why: 'it has no lead and holds nothing',
  });
  const [folder = ''] = await readdir(join(team.home, 'archive'));
  expect(await readdir(join(team.home, 'sessions'))).toHaveLength(3);
  // One nobody has ever heard of is not touched before its time either.
  await mkdir(join(team.home, 'sessions', '0192f0c1-0000-7000-8000-000000000000'));
  expect((await gc(team)).filter(({ what }) => what === 'archive' || what === 'session')).toEqual([]);

  await rename(join(team.home, 'archive', folder), join(team.home, 'archive', 'pit-2020-01-01T00-00-00Z'));
  for (const id of await readdir(join(team.home, 'sessions')))
    for (const file of ['transcript.jsonl', '.'])
      await utimes(join(team.home, 'sessions', id, file), 1, 1).catch(() => {});
  const dry = await gc(team, '--dry-run');
  expect(dry.map(({ what }) => what)).toEqual(expect.arrayContaining(['archive', 'session']));
  expect(await readdir(join(team.home, 'archive'))).toEqual(['pit-2020-01-01T00-00-00Z']);
  expect((await gc(team)).map(({ what }) => what)).toEqual(dry.map(({ what }) => what));
  expect(await readdir(join(team.home, 'archive'))).toEqual([]);
  expect(await readdir(join(team.home, 'sessions'))).toEqual([]);
});

test('a living team loses nothing, and what is purged leaves no session', async () => {
  await using team = await tmuxStage(SCRIPT);
  const { digger, filler } = await pit(team);
  await mkdir(join(team.home, 'teams', 'pit', 'inboxes', 'nobody.json.lock'));
  await utimes(join(team.home, 'teams', 'pit', 'inboxes', 'nobody.json.lock'), 1, 1);
  expect((await gc(team)).map(({ what, done }) => `${what} ${done}`)).toEqual([
    'worktree kept',
    'worktree kept',
    'lock removed',
  ]);
  expect([existsSync(digger), existsSync(filler)]).toEqual([true, true]);
  expect(await team.status()).toMatchObject({ state: 'running' });
  await team.ok('down', '--purge');
  expect(await readdir(join(team.home, 'sessions'))).toEqual([]);
  expect(await readdir(join(team.home, 'archive'))).toEqual([]);
});

async function merge({ repo, env }: TmuxStage, commit: string): Promise<void> {
  const { run } = await import('../../src/host/run.js');
  await run('git', ['-C', repo, 'merge', '--quiet', '--ff-only', commit], { env });
}
