import { existsSync } from 'node:fs';
import type { Member } from '../team/teamFile.js';
import { git, headOf } from '../worktree/git.js';
import { removeWorktree } from '../worktree/worktree.js';
import type { World } from './services.js';

export interface KeptWorktree {
  readonly member: string;
  readonly path: string;
  readonly branch: string;
  readonly why: readonly string[];
}

/** Removes a member's worktree if it holds nothing that `repo`'s branch does not have; otherwise says what it holds. */
export async function releaseWorktree(
  { run }: Pick<World, 'run'>,
  repo: string,
  member: Member,
): Promise<KeptWorktree | undefined> {
  const { name, worktreePath: path, worktreeBranch: branch, worktreeBase: base } = member;
  if (path === undefined || branch === undefined || base === undefined || !existsSync(path)) return undefined;
  const head = await headOf(git(run, repo));
  const result = await removeWorktree({ path, branch, base, into: head.branch ?? head.commit, repo, run });
  return result.removed ? undefined : { member: name, path, branch, why: result.why };
}
