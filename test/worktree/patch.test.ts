import { appendFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../src/host/run.js';
import { git } from '../../src/worktree/git.js';
import { type PatchForm, patchesOf } from '../../src/worktree/patch.js';
import { workIn } from '../../src/worktree/work.js';
import { commitIn, type GitRepo, gitRepo, initRepo } from '../helpers/gitRepo.js';
import { listing } from '../helpers/listing.js';
import { tempDir } from '../helpers/tempDir.js';
import { create, type Made } from './making.js';

async function patches(made: Made, form: PatchForm = 'patch') {
  await using temporary = await tempDir();
  const result = await patchesOf(run, await workIn(made, run), { form, temporary: temporary.path });
  expect(await listing(temporary.path)).toEqual([temporary.path]);
  return result;
}

/** Two commits, a change that is staged, one that is not, and files that git does not know or ignores. */
async function busy(repo: GitRepo): Promise<Made> {
  const made = await create(repo.path);
  const at = (path: string) => join(made.path, path);
  await commitIn(made.path, 'one.txt', 'one\n');
  await commitIn(made.path, '.gitignore', '*.log\n');
  await writeFile(at('staged.txt'), 'staged\n');
  await git(run, made.path)('add', 'staged.txt');
  await appendFile(at('README.md'), 'more\n');
  await mkdir(at('deep/er'), { recursive: true });
  await writeFile(at('deep/er/[a] *.txt'), 'new\n');
  await writeFile(at(':!deep'), 'new\n');
  await writeFile(at('noise.log'), 'noise\n');
  return made;
}

test('what a worktree has committed, what it has not, and what git does not know are told apart', async () => {
  await using repo = await gitRepo();
  const made = await busy(repo);
  // What the main checkout has come to meanwhile is not the worktree's doing.
  await repo.commit('later.txt');
  const { commits, committed, uncommitted, base, tip } = await workIn(made, run);
  expect(base).toBe(made.base);
  expect(tip).toBe(await git(run, made.path)('rev-parse', 'HEAD'));
  expect(commits.map(({ subject }) => subject)).toEqual(['change .gitignore', 'change one.txt']);
  expect(committed).toEqual([
    { path: '.gitignore', how: 'added' },
    { path: 'one.txt', how: 'added' },
  ]);
  expect(uncommitted).toEqual([
    { path: 'README.md', how: 'modified' },
    { path: 'staged.txt', how: 'added' },
    { path: ':!deep', how: 'untracked' },
    { path: 'deep/er/[a] *.txt', how: 'untracked' },
  ]);
});

test('the patch makes of the base what is in the worktree, and looking changes nothing there', async () => {
  await using repo = await gitRepo();
  const made = await busy(repo);
  // What is set for a person's eyes.
  for (const [key, value] of Object.entries({ 'color.ui': 'always', 'diff.external': 'false', 'core.pager': 'false' }))
    await repo.git('config', key, value);
  const status = () => git(run, made.path)('status', '--porcelain=v1', '--untracked-files=all');
  const before = await status();
  const { committed, uncommitted } = await patches(made);
  expect(await status()).toBe(before);
  expect(committed).not.toContain('staged.txt');
  await using folder = await tempDir();
  const copy = git(run, folder.path, { input: `# words\n${committed}\n# more words\n${uncommitted}\n` });
  await repo.git('worktree', 'add', '--quiet', '--detach', join(folder.path, 'copy'), made.base);
  await copy('-C', 'copy', 'apply', '--index', '-');
  for (const path of ['one.txt', 'README.md', 'staged.txt', 'deep/er/[a] *.txt'])
    expect(await run('cmp', [join(made.path, path), join(folder.path, 'copy', path)])).toMatchObject({ exitCode: 0 });
  await repo.git('worktree', 'remove', '--force', join(folder.path, 'copy'));
  const { uncommitted: stat } = await patches(made, 'stat');
  expect(stat).toMatch(/deep\/er\/.* \| 1 \+/);
  expect(stat).toMatch(/4 files changed, 4 insertions\(\+\)$/);
});

test('a patch of more than is kept of a program names the commands that show it', async () => {
  await using repo = await gitRepo();
  const made = await create(repo.path);
  await writeFile(join(made.path, 'huge.txt'), 'x'.repeat(65 * 1024 * 1024));
  await expect(patches(made)).rejects.toMatchObject({
    name: 'UserError',
    message: `The patch of ${made.path} is larger than 64 MB. A line for each file: --stat. All of it: git -C ${made.path} diff HEAD`,
  });
  expect((await patches(made, 'stat')).uncommitted).toContain('huge.txt');
});

test('in a sparse worktree, with a repository inside, new files are shown wherever they are', async () => {
  await using repo = await gitRepo();
  await mkdir(join(repo.path, 'in'));
  await repo.commit('in/a.txt');
  const made = await create(repo.path, 'alice', { settings: { sparsePaths: ['in'] } });
  await mkdir(join(made.path, 'out'));
  await writeFile(join(made.path, 'out/new.txt'), 'new\n');
  await initRepo(join(made.path, 'in/nested'));
  const { uncommitted } = await workIn(made, run);
  expect(uncommitted.map(({ path }) => path)).toEqual(['in/nested/', 'out/new.txt']);
  const shown = (await patches(made)).uncommitted;
  expect(shown).toContain('+++ b/out/new.txt');
  expect(shown).not.toContain('nested');
});

test('of a worktree whose folder is gone the branch is left; without that it is an error that says so', async () => {
  await using repo = await gitRepo();
  const made = await create(repo.path);
  await commitIn(made.path, 'one.txt', 'one\n');
  await rm(made.path, { recursive: true });
  expect(await workIn(made, run)).toMatchObject({
    isThere: false,
    uncommitted: [],
    commits: [{ subject: 'change one.txt' }],
  });
  expect(await patches(made)).toEqual({ committed: expect.stringContaining('+one'), uncommitted: '' });
  await repo.git('worktree', 'unlock', made.path);
  await repo.git('worktree', 'prune');
  await repo.git('branch', '--quiet', '-D', made.branch);
  await expect(workIn(made, run)).rejects.toThrow(
    `The worktree ${made.path} is gone, and so is its branch troupe/alice`,
  );
  await expect(workIn({ ...made, hookMade: true }, run)).rejects.toThrow('A WorktreeCreate hook made');
});

test('commits of the branch that the worktree has left are counted', async () => {
  await using repo = await gitRepo();
  const made = await create(repo.path);
  await commitIn(made.path, 'one.txt');
  expect(await workIn(made, run)).toMatchObject({ beside: 0 });
  await git(run, made.path)('checkout', '--quiet', '--detach', made.base);
  expect(await workIn(made, run)).toMatchObject({ beside: 1, commits: [], tip: made.base });
});
