import { existsSync } from 'node:fs';
import { appendFile, chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diffOf } from '../../src/app/look/diff.js';
import { type MergeWishes, mergeMember } from '../../src/app/merge/merge.js';
import { systemClock } from '../../src/host/clock.js';
import { procStart } from '../../src/host/processes.js';
import { type RunOptions, run } from '../../src/host/run.js';
import { archiveTeam } from '../../src/team/archive.js';
import { git } from '../../src/worktree/git.js';
import { eventually } from '../helpers/eventually.js';
import { commitIn, initRepo } from '../helpers/gitRepo.js';
import { listing } from '../helpers/listing.js';
import { DEAD, teamOnDisk } from '../helpers/team.js';
import { create } from '../worktree/making.js';

/** The team `red` in a repository: alice has a worktree there, others on request, carol has none. */
async function reds(...others: readonly string[]) {
  const team = await teamOnDisk({ members: ['carol'] });
  const repo = await initRepo(team.cwd);
  await repo.commit('shared.txt', 'one\ntwo\nthree\n');
  const worktrees: Record<string, string> = {};
  for (const name of ['alice', ...others]) {
    const { path, branch, base } = await create(repo.path, name);
    await repo.git('worktree', 'unlock', path);
    worktrees[name] = path;
    const made = { worktreePath: path, worktreeBranch: branch, worktreeBase: base };
    await team.join({ ...team.member(name), cwd: path, ...made });
  }
  const { alice = '', bob = '' } = worktrees;
  const world = { home: team.home, run, clock: systemClock };
  const wishes: MergeWishes = { squash: false, dryRun: false, force: false, cwd: repo.path };
  return {
    ...team,
    repo,
    alice,
    bob,
    world,
    merge: (more: Partial<MergeWishes> = {}, member = 'alice') =>
      mergeMember(world, 'red', member, { ...wishes, ...more }),
    foresee: (more: Partial<MergeWishes> = {}) =>
      mergeMember(world, 'red', 'alice', { ...wishes, dryRun: true, ...more }),
    log: () => repo.git('log', '--first-parent', '--format=%s', 'HEAD'),
    /** The message of the newest commit. */
    words: async () => (await repo.git('log', '-1', '--format=%B')).trim(),
    /** Everything that a merge could leave behind: files, index, and what git is in the middle of. */
    async traces() {
      const files = (await listing(repo.path)).filter((line) => !line.includes('/.git/') && !line.includes('/.claude'));
      const inside = await Promise.all(
        ['MERGE_HEAD', 'MERGE_MSG', 'SQUASH_MSG', 'index.lock', 'troupe-merge.lock', 'troupe-merge.json'].map((name) =>
          existsSync(join(repo.path, '.git', name)),
        ),
      );
      const head = await repo.git('rev-parse', 'HEAD');
      return { files, inside, head, status: await repo.git('status', '--porcelain=v1', '--untracked-files=all') };
    },
    async hook(name: string, script: string) {
      const path = join(repo.path, '.git/hooks', name);
      await mkdir(join(repo.path, '.git/hooks'), { recursive: true });
      await writeFile(path, `#!/bin/sh\n${script}\n`);
      await chmod(path, 0o755);
    },
  };
}

type Reds = Awaited<ReturnType<typeof reds>>;

/** Nothing of it happens, for this reason, and the checkout is as it was. */
async function refused(
  red: Reds,
  words: RegExp | string,
  more: Partial<MergeWishes> = {},
  exitCode = 1,
): Promise<void> {
  const before = await red.traces();
  await expect(red.merge(more)).rejects.toMatchObject({
    name: 'UserError',
    message: typeof words === 'string' ? words : expect.stringMatching(words),
    exitCode,
  });
  expect(await red.traces()).toEqual(before);
}

test('a merge is a commit of its own that names member and team, also where git would only step forward', async () => {
  await using red = await reds();
  // Whatever is set for merges by hand.
  await red.repo.git('config', 'merge.ff', 'only');
  await red.repo.git('config', 'branch.main.mergeOptions', '--squash');
  const tip = await commitIn(red.alice, 'new.txt', 'new\n');
  const head = await red.repo.git('rev-parse', 'HEAD');
  const { commit, ...result } = await red.merge();
  expect(result).toMatchObject({
    merged: true,
    into: 'main',
    files: [{ path: 'new.txt', how: 'added' }],
    overlaps: [],
  });
  expect(await red.repo.git('rev-parse', 'HEAD', 'HEAD^1', 'HEAD^2')).toBe([commit, head, tip].join('\n'));
  expect(await red.words()).toBe('Merge the work of alice in team red\n\nBranch troupe/alice, one commit.');
  expect(await readFile(join(red.repo.path, 'new.txt'), 'utf8')).toBe('new\n');
  expect(await red.merge()).toMatchObject({ merged: false, upToDate: true });
  expect((await diffOf(red.world, 'red', { member: 'alice', form: 'patch' })).diffs).toMatchObject([
    {
      member: 'alice',
      committed: [{ path: 'new.txt', how: 'added' }],
      patch: { committed: expect.stringContaining('+new') },
    },
  ]);
});

test('squashed it is one commit with all subjects; the second time there is nothing to do', async () => {
  await using red = await reds();
  await red.repo.git('config', 'merge.ff', 'false');
  await commitIn(red.alice, 'a.txt');
  await commitIn(red.alice, 'b.txt');
  await red.repo.commit('main.txt');
  const head = await red.repo.git('rev-parse', 'HEAD');
  const { commit } = await red.merge({ squash: true });
  expect(await red.repo.git('rev-parse', 'HEAD', 'HEAD^@')).toBe(`${commit}\n${head}`);
  expect(await red.words()).toBe(`Squash the work of alice in team red\n\n- change a.txt\n- change b.txt`);
  expect(await red.merge({ squash: true })).toMatchObject({ merged: false, upToDate: true });
  expect((await red.traces()).inside).not.toContain(true);
});

test('on a detached HEAD, in another checkout of the repository, with words of one’s own, and from the archive', async () => {
  await using red = await reds();
  await commitIn(red.alice, 'new.txt');
  await archiveTeam(red.home, 'red', systemClock);
  const other = join(red.dir, 'other');
  await red.repo.git('worktree', 'add', '--quiet', '--detach', other);
  const { into } = await red.merge({ cwd: other, message: 'My words' });
  expect(into).toBe(await red.repo.git('rev-parse', 'HEAD'));
  expect(await git(run, other)('log', '-1', '--format=%s')).toBe('My words');
  expect(await red.log()).not.toContain('My words');
});

test('a checkout with changes is not touched: the files are named; files that git does not know only where they are in the way', async () => {
  await using red = await reds();
  await commitIn(red.alice, 'new.txt', 'new\n');
  const at = (path: string) => join(red.repo.path, path);
  await writeFile(at('free.txt'), 'mine\n');
  await writeFile(at('staged.txt'), 'mine\n');
  await red.repo.git('add', 'staged.txt');
  await appendFile(at('shared.txt'), 'mine\n');
  await refused(red, `${red.repo.path} has changes of its own: shared.txt, staged.txt. Commit or stash them first.`);
  await red.repo.git('checkout', '--quiet', 'shared.txt');
  await red.repo.git('rm', '--quiet', '--force', 'staged.txt');
  // git itself writes over what is ignored.
  await appendFile(at('.git/info/exclude'), 'new.txt\n');
  await symlink('nowhere', at('new.txt'));
  await refused(red, /Files that git does not know are in the way in .*: new\.txt\. Move them first\.$/);
  await red.repo.git('clean', '--quiet', '--force', '-x', 'new.txt');
  expect(await red.merge()).toMatchObject({ merged: true });
  expect(await readFile(at('free.txt'), 'utf8')).toBe('mine\n');
});

test('conflicts are told beforehand, and undone where git cannot tell', async () => {
  await using red = await reds();
  await commitIn(red.alice, 'shared.txt', 'one\nALICE\nthree\n');
  await commitIn(red.alice, 'deep.txt');
  await mkdir(join(red.alice, 'in'));
  await commitIn(red.alice, 'in/new.txt');
  await red.repo.commit('shared.txt', 'one\nMAIN\nthree\n');
  await mkdir(join(red.repo.path, 'deep.txt'));
  await red.repo.commit('deep.txt/file');
  const foreseen = await red.foresee();
  expect(foreseen).toMatchObject({ merged: false, conflicts: expect.arrayContaining(['shared.txt']) });
  expect(foreseen.obstacles).toEqual([
    expect.stringMatching(
      /^Conflicts with main: .*shared\.txt.* is as it was\. Next: troupe send alice 'Merge main into your branch/,
    ),
  ]);
  await refused(red, foreseen.obstacles[0] ?? '');
  await refused(red, foreseen.obstacles[0] ?? '', { force: true });
  const old = async (file: string, args: readonly string[], options?: RunOptions) =>
    args.includes('merge-tree')
      ? { exitCode: 129, stdout: '', stderr: 'usage: git merge-tree <base-tree> <branch1> <branch2>' }
      : run(file, args, options);
  Object.assign(red.world, { run: old });
  expect(await red.foresee()).toMatchObject({ conflicts: null, obstacles: [] });
  await refused(red, /^Conflicts with main: .*shared\.txt/);
  await refused(red, /^Conflicts with main: .*shared\.txt/, { squash: true });
});

test('files that another member’s worktree changes too are named, committed there or not; what is merged counts no more', async () => {
  await using red = await reds('bob');
  await commitIn(red.alice, 'shared.txt', 'ONE\ntwo\nthree\n');
  await commitIn(red.alice, 'new.txt');
  await commitIn(red.alice, 'alone.txt');
  await commitIn(red.bob, 'shared.txt', 'one\ntwo\nTHREE\n');
  await writeFile(join(red.bob, 'new.txt'), 'bob\n');
  const overlaps = [{ member: 'bob', files: ['new.txt', 'shared.txt'] }];
  expect(await red.foresee()).toMatchObject({ overlaps, conflicts: [], obstacles: [] });
  await git(run, red.bob)('clean', '--quiet', '--force');
  await red.merge({}, 'bob');
  expect(await red.merge()).toMatchObject({ merged: true, overlaps: [] });
});

test('in the middle of a turn, or with work that is not committed, it is refused with the next step, unless forced', async () => {
  await using red = await reds();
  await commitIn(red.alice, 'new.txt');
  await writeFile(join(red.alice, 'open.txt'), 'open\n');
  await red.writeRecord('alice', { state: 'working' });
  await refused(
    red,
    /^alice is in the middle of a turn\. Wait until it is idle \(troupe wait alice -t red\), .*--force\nNot committed, so it would not be merged: open\.txt\. Next: troupe send alice 'Commit your work\.' -t red; or merge without: --force$/,
  );
  expect(await red.merge({ force: true })).toMatchObject({
    merged: true,
    uncommitted: [{ path: 'open.txt', how: 'untracked' }],
  });
  expect(existsSync(join(red.repo.path, 'open.txt'))).toBe(false);
});

test('who waits for a plan, or is dead, is in no turn; who has committed nothing cannot be merged at all', async () => {
  await using red = await reds();
  await writeFile(join(red.alice, 'open.txt'), 'open\n');
  await refused(red, /^alice has committed nothing, so nothing can be merged\. Not committed: open\.txt\./, {
    force: true,
  });
  await commitIn(red.alice, 'open.txt');
  await red.writeRecord('alice', { state: 'working', waitingFor: 'plan' });
  expect((await red.foresee()).obstacles).toEqual([]);
  await red.writeRecord('alice', { state: 'working', pid: 999_999_999, procStart: 'gone' });
  expect((await red.foresee()).obstacles).toEqual([]);
});

test('what began from where the branch has not come to brings commits of others, and says so first', async () => {
  await using red = await reds();
  await commitIn(red.alice, 'new.txt');
  await red.repo.git('reset', '--quiet', '--hard', 'HEAD~1');
  await refused(
    red,
    /^alice began from [0-9a-f]{10}, which main has not come to: a commit that is not the work of alice would come along\./,
  );
  expect(await red.merge({ force: true })).toMatchObject({ merged: true });
});

test('the worktree’s branch with commits that its checkout has left is refused', async () => {
  await using red = await reds();
  await commitIn(red.alice, 'new.txt');
  await git(run, red.alice)('checkout', '--quiet', '--detach', 'HEAD~1');
  await commitIn(red.alice, 'other.txt');
  await refused(red, /not on its branch troupe\/alice, which has 1 commits that the worktree has not/, { force: true });
});

test('where the work cannot go, or is not, an error says where to go', async () => {
  await using red = await reds();
  await commitIn(red.alice, 'new.txt');
  const stranger = await initRepo(join(red.dir, 'stranger'));
  const cases: [more: Partial<MergeWishes>, words: RegExp][] = [
    [{ cwd: red.dir }, /is in no checkout of a repository\. Go to the checkout that is to have the work of alice: cd /],
    [{ cwd: stranger.path }, /stranger is another repository than that of alice\. Go to/],
    [{ cwd: red.alice }, /is the worktree of alice itself\. Go to/],
  ];
  for (const [more, words] of cases) await refused(red, words, more, 2);
  await expect(red.merge({}, 'carol')).rejects.toThrow(
    `carol has no worktree of its own. carol works in ${red.cwd}; look with: git -C ${red.cwd} diff`,
  );
  await expect(red.merge({}, 'alic')).rejects.toThrow('Did you mean "alice"?');
  await red.repo.git('checkout', '--quiet', '-b', 'side');
  await writeFile(join(red.repo.path, '.git/MERGE_HEAD'), `${await red.repo.git('rev-parse', 'HEAD')}\n`);
  await refused(red, /^A merge is under way in /);
});

test('the repository’s hooks run; one that refuses leaves the checkout as it was, and its words are told', async () => {
  await using red = await reds();
  await commitIn(red.alice, 'shared.txt', 'ONE\ntwo\nthree\n');
  await mkdir(join(red.alice, 'in/deep'), { recursive: true });
  await commitIn(red.alice, 'in/deep/new.txt');
  await red.repo.commit('main.txt');
  await red.hook('commit-msg', 'echo "not like this" >&2; exit 1');
  for (const squash of [false, true])
    await refused(red, /^Nothing was merged, and .* is as it was: .*not like this/s, { squash });
  await red.hook('commit-msg', 'echo seen >> "$1"; echo a word');
  await red.merge();
  expect(await red.words()).toMatch(/seen$/);
});

/** Bob's merge, while that of alice is in the middle of a hook that ends when `go` is called. */
async function whileAliceMerges(red: Reds) {
  await commitIn(red.alice, 'of-alice.txt');
  await commitIn(red.bob, 'of-bob.txt');
  const [begun, end] = [join(red.dir, 'begun'), join(red.dir, 'end')];
  // Nobody is there whom a hook could ask: what reads gets nothing, and there is no terminal.
  const asks = 'if read answer || (: < /dev/tty) 2>/dev/null; then echo "asked somebody" >&2; exit 1; fi';
  await red.hook('commit-msg', `${asks}; touch ${begun}; while [ ! -e ${end} ]; do sleep 0.05; done`);
  const first = red.merge();
  first.catch(() => {});
  await eventually(() => readFile(begun));
  const words: string[] = [];
  const second = red.merge({ onWait: (line) => words.push(line) }, 'bob');
  second.catch(() => {});
  await eventually(() => expect(words).toHaveLength(1));
  return { first, second, words, go: () => writeFile(end, '') };
}

test('a merge that comes while another one is under way says whose that is, and waits for its turn', async () => {
  await using red = await reds('bob');
  const { first, second, words, go } = await whileAliceMerges(red);
  const since = expect.stringMatching(/^.* since \d{4}-\d\d-\d\dT[\d:.]+Z\. Ctrl-C ends the wait\.$/);
  expect(words).toEqual([since]);
  expect(words[0]).toContain(
    `Waiting for process ${process.pid}, which merges the work of alice into ${red.repo.path} `,
  );
  await go();
  expect([await first, await second]).toMatchObject([{ merged: true }, { merged: true, member: 'bob' }]);
  expect(words).toHaveLength(1);
  const events = (await red.events.read()).map(({ type, member, commits, into }) => ({ type, member, commits, into }));
  const into = await red.repo.git('symbolic-ref', '--short', 'HEAD');
  expect(events).toEqual(['alice', 'bob'].map((member) => ({ type: 'merged', member, commits: 1, into })));
  expect((await red.traces()).inside).not.toContain(true);
});

test('a signal ends the wait for one’s turn', async () => {
  await using red = await reds('bob');
  const { first, second, go } = await whileAliceMerges(red);
  // Both merges of this process get it.
  const ended = expect(second).rejects.toMatchObject({ exitCode: 143, message: expect.stringMatching(/^Stopped by/) });
  process.kill(process.pid, 'SIGTERM');
  await ended;
  await first.catch(() => {});
  await go();
  expect((await red.traces()).inside).not.toContain(true);
});

test('what a killed merge has noted of itself keeps nobody', async () => {
  await using red = await reds();
  await commitIn(red.alice, 'new.txt');
  const note = { ...DEAD, what: 'the work of bob', since: '2026-01-01T00:00:00.000Z' };
  await writeFile(join(red.repo.path, '.git/troupe-merge.json'), JSON.stringify(note));
  const words: string[] = [];
  expect(await red.merge({ onWait: (line) => words.push(line) })).toMatchObject({ merged: true });
  expect(words).toEqual([]);
});

test.each([
  { how: 'merged', squash: false, hook: 'pre-merge-commit' },
  { how: 'squashed', squash: true, hook: 'pre-commit' },
])('a signal in the middle leaves the checkout as it was ($how)', async ({ squash, hook }) => {
  await using red = await reds();
  await commitIn(red.alice, 'shared.txt', 'ONE\ntwo\nthree\n');
  await mkdir(join(red.alice, 'in'));
  await commitIn(red.alice, 'in/new.txt');
  await red.repo.commit('main.txt');
  const mark = join(red.dir, 'mark');
  await red.hook(hook, `echo $$ > ${mark}.new; mv ${mark}.new ${mark}; exec sleep 60`);
  const before = await red.traces();
  const merging = red.merge({ squash });
  const failed = expect(merging).rejects.toMatchObject({
    message: expect.stringMatching(/^Stopped by SIGTERM: nothing was merged/),
    exitCode: 143,
  });
  const pid = Number(await eventually(() => readFile(mark, 'utf8')));
  process.kill(process.pid, 'SIGTERM');
  await failed;
  await eventually(async () => expect(await procStart(pid)).toBeUndefined());
  expect(await red.traces()).toEqual(before);
});
