import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { diffOf } from '../../src/app/look/diff.js';
import { systemClock } from '../../src/host/clock.js';
import { run } from '../../src/host/run.js';
import { archiveTeam } from '../../src/team/archive.js';
import { commitIn, initRepo } from '../helpers/gitRepo.js';
import { teamOnDisk } from '../helpers/team.js';
import { create } from '../worktree/making.js';

test('without a name the work of all is shown who have a worktree; what cannot be looked at is told beside it', async () => {
  await using red = await teamOnDisk({ members: ['carol'] });
  const world = { home: red.home, run };
  const look = (member?: string) => diffOf(world, 'red', { member, form: 'stat' });
  await expect(look()).rejects.toThrow(
    `Nobody in red has a worktree. team-lead works in ${red.cwd}; look with: git -C ${red.cwd} diff`,
  );
  const repo = await initRepo(red.cwd);
  for (const name of ['alice', 'bob']) {
    const { path, branch, base } = await create(repo.path, name);
    await commitIn(path, `${name}.txt`);
    const made = { worktreePath: path, worktreeBranch: branch, worktreeBase: base };
    await red.join({ ...red.member(name), cwd: path, ...made });
  }
  const elsewhere = join(repo.path, '.claude/worktrees/odd');
  await red.join({ ...red.member('odd'), worktreePath: elsewhere, worktreeBranch: 'troupe/odd', worktreeBase: 'x' });
  await red.join({ ...red.member('hooked'), worktreePath: red.dir, worktreeHookMade: true });
  await red.join({ ...red.member('done'), worktreePath: elsewhere, worktreeRemoved: true });
  await archiveTeam(red.home, 'red', systemClock);
  const { diffs, problems } = await look();
  expect(diffs.map(({ member, patch }) => [member, patch?.committed.split('\n')[0]])).toEqual([
    ['alice', ' alice.txt | 1 +'],
    ['bob', ' bob.txt | 1 +'],
  ]);
  expect(problems).toEqual([
    `The worktree ${elsewhere} is gone, and so is its branch troupe/odd: it was merged, or held nothing.`,
    `A WorktreeCreate hook made ${red.dir}, so git is not asked about it. Look there by hand.`,
    `The worktree of done held nothing more when red was taken down, and was removed: ${elsewhere}`,
  ]);
  await expect(look('odd')).rejects.toMatchObject({ name: 'UserError', exitCode: 1 });
  await expect(look('carol')).rejects.toThrow('carol has no worktree of its own.');
  await writeFile(join(repo.path, '.git/worktrees/alice/index'), 'torn');
  expect((await look()).problems[0]).toMatch(/^git .*index file/s);
});
