import { existsSync } from 'node:fs';
import { listTeams } from '../../team/archive.js';
import { type Member, worktreeOf } from '../../team/teamFile.js';
import { messageOf } from '../../util/errors.js';
import { git, headOf } from '../../worktree/git.js';
import { inspectWorktree } from '../../worktree/inspect.js';
import { pruneStale } from '../../worktree/prune.js';
import { type Removal, removeWorktree } from '../../worktree/remove.js';
import type { Worktree, WorktreeHooks } from '../../worktree/worktree.js';
import type { World } from '../services.js';

export interface KeptWorktree {
  readonly member: string;
  readonly path: string;
  readonly branch: string;
  readonly why: readonly string[];
}

/** For a person: whose it is, why it is still there, and where. */
export function keptWords({ member, path, branch, why }: KeptWorktree): string {
  return `The worktree of ${member} was kept (${why.join('; ')}): ${path}, branch ${branch}`;
}

/** Removes a member's worktree if it holds nothing that `repo`'s branch does not have; otherwise says what it holds. */
export async function releaseWorktree(
  { run }: Pick<World, 'run'>,
  repo: string,
  member: Member,
  hooks?: WorktreeHooks | undefined,
): Promise<KeptWorktree | undefined> {
  const worktree = worktreeOf(member);
  if (worktree === undefined || !(existsSync(repo) || existsSync(worktree.path))) return undefined;
  const result = await release(run, repo, worktree, hooks).catch(
    (error: unknown): Removal => ({ removed: false, why: [messageOf(error)] }),
  );
  const { path, branch } = worktree;
  return result.removed ? undefined : { member: member.name, path, branch, why: result.why };
}

async function release(
  run: World['run'],
  repo: string,
  worktree: Worktree,
  hooks: WorktreeHooks | undefined,
): Promise<Removal> {
  const head = worktree.hookMade ? undefined : await headOf(git(run, repo));
  return removeWorktree({ ...worktree, into: head?.branch ?? head?.commit, repo, run, hooks });
}

/** A member's worktree that waits for whoever goes on with the team, and what it holds. */
export async function heldWorktree(
  { run }: Pick<World, 'run'>,
  repo: string,
  member: Member,
): Promise<KeptWorktree | undefined> {
  const worktree = worktreeOf(member);
  if (worktree === undefined) return undefined;
  const { path, branch, hookMade } = worktree;
  const holdings = async () => {
    if (hookMade || !existsSync(path)) return [];
    const head = await headOf(git(run, repo));
    return (await inspectWorktree({ ...worktree, into: head?.branch ?? head?.commit, run })).why;
  };
  const why = await holdings().catch((error: unknown) => [messageOf(error)]);
  return { member: member.name, path, branch, why: ['its team was stopped', ...why] };
}

/** Removes what earlier teams left in `repo` and what holds nothing. Members of teams that are still there keep theirs. */
export async function pruneWorktrees({ run, home }: Pick<World, 'run' | 'home'>, repo: string): Promise<string[]> {
  const { teams, broken } = await listTeams(home);
  // Whose worktrees a broken team's are, nobody knows.
  if (broken.length > 0) return [];
  const needed = new Set(teams.flatMap(({ members }) => members.map(({ worktreePath }) => worktreePath)));
  return pruneStale({ repo, run, isNeeded: (path) => needed.has(path) });
}
