import { existsSync } from 'node:fs';
import type { RunEnd, WorktreeResult } from '../../headless/result.js';
import { openTeamFile, worktreeOf } from '../../team/teamFile.js';
import { ExitCode } from '../../util/errors.js';
import { git, isRepository, listWorktrees } from '../../worktree/git.js';
import { placeOf, type World } from '../services.js';

/**
 * The worktrees of members whose folder somebody removed behind git's back: what was not committed there is gone, and
 * nobody knows what it was. To be asked before the team is taken down.
 */
export async function lostWorktrees(world: World, team: string, repo: string): Promise<WorktreeResult[]> {
  const { members } = await openTeamFile(placeOf(world, team).paths.config).require();
  const gone = members.flatMap((member) => {
    const worktree = worktreeOf(member);
    return worktree && !member.worktreeRemoved && !worktree.hookMade && !existsSync(worktree.path)
      ? [{ member: member.name, ...worktree }]
      : [];
  });
  const inside = git(world.run, repo);
  if (gone.length === 0 || !(await isRepository(inside))) return [];
  const listed = new Set((await listWorktrees(inside)).map(({ path }) => path));
  return gone
    .filter(({ path }) => listed.has(path))
    .map(({ member, path, branch }) => ({
      member,
      path,
      branch,
      holds: ['its folder was removed: whatever was not committed there'],
      lost: true,
    }));
}

/** One entry for each worktree: what it still holds, and what it lost. */
export function joinWorktrees(kept: readonly WorktreeResult[], lost: readonly WorktreeResult[]): WorktreeResult[] {
  const isLost = (path: string) => lost.find((other) => other.path === path);
  return [
    ...kept.map((worktree) => {
      const other = isLost(worktree.path);
      return other ? { ...worktree, holds: [...worktree.holds, ...other.holds], lost: true as const } : worktree;
    }),
    ...lost.filter(({ path }) => !kept.some((worktree) => worktree.path === path)),
  ];
}

/** A run that would have been a success is none where something was lost. */
export function withLoss(end: RunEnd, worktrees: readonly WorktreeResult[]): RunEnd {
  const losses = worktrees
    .filter(({ lost }) => lost)
    .map(({ member, path, holds }) => `Work of ${member} may be lost, ${path}: ${holds.join('; ')}`);
  if (losses.length === 0) return end;
  const failed = { subtype: 'error_during_execution', exitCode: ExitCode.unfinished } as const;
  return { ...end, ...(end.exitCode === ExitCode.ok && failed), errors: [...end.errors, ...losses] };
}
