import { currentFolder } from '../../config/env.js';
import { type ArchivedTeam, listArchive, listTeams } from '../../team/archive.js';
import type { TeamFile } from '../../team/teamFile.js';
import { listOwnKind, repositoryAt } from '../../worktree/ours.js';
import { removeWorktree } from '../../worktree/remove.js';
import type { World } from '../services.js';

/** A worktree of a team's member, or one that a team has left. */
export interface TeamWorktree {
  readonly path: string;
  readonly branch: string;
  /** The main checkout of its repository. */
  readonly repo: string;
  readonly team?: string;
  readonly member?: string;
  /** Its team is in the archive. */
  readonly archived?: true;
  /** A living process holds it. */
  readonly live: boolean;
  /** What it holds that no other branch has. */
  readonly holds: readonly string[];
  /** Why it stays; absent where nothing would be lost with it. */
  readonly keptFor?: string;
}

/** The worktrees in the repositories that teams work in, the archived ones too, and in the one of this folder. */
export async function teamWorktrees(world: Pick<World, 'home' | 'run'>): Promise<TeamWorktree[]> {
  const { home, run } = world;
  const { teams, broken } = await listTeams(home);
  const archive = await listArchive(home);
  const owners = ownersOf(teams, archive);
  const folders = [...teams, ...archive.map(({ team }) => team)].flatMap(({ members }) =>
    members.filter(({ worktreePath }) => worktreePath === undefined).map(({ cwd }) => cwd),
  );
  const roots = await Promise.all([...new Set([currentFolder(), ...folders])].map((path) => repositoryAt(path, run)));
  const found: TeamWorktree[] = [];
  for (const repo of new Set(roots.filter((root) => root !== undefined))) {
    for (const { path, branch, holder, holds } of await listOwnKind(repo, run)) {
      const owner = owners.get(path);
      const keptFor =
        holder !== undefined
          ? `process ${holder} holds it`
          : owner && !owner.archived
            ? `it is that of ${owner.member} in ${owner.team}`
            : broken.length > 0
              ? 'it may be that of a team whose file is broken'
              : holds.length > 0
                ? holds.join(', ')
                : undefined;
      found.push({
        path,
        branch,
        repo,
        ...owner,
        live: holder !== undefined,
        holds,
        ...(keptFor !== undefined && { keptFor }),
      });
    }
  }
  return found;
}

/** Removes those that hold nothing and that nobody comes back to. Returns all, as they were; `removed` says which went. */
export async function pruneTeamWorktrees(
  world: Pick<World, 'home' | 'run'>,
  { dryRun }: { readonly dryRun: boolean },
): Promise<(TeamWorktree & { readonly removed: boolean })[]> {
  const results: (TeamWorktree & { readonly removed: boolean })[] = [];
  for (const worktree of await teamWorktrees(world)) {
    const { path, branch, repo, keptFor } = worktree;
    if (keptFor !== undefined || dryRun) {
      results.push({ ...worktree, removed: keptFor === undefined });
      continue;
    }
    // It may have come to hold something since it was looked at: this asks again, under the repository's lock.
    const removal = await removeWorktree({ path, branch, base: '', repo, run: world.run, onlyAbandoned: true });
    const why = removal.removed ? {} : { keptFor: removal.why.join(', ') };
    results.push({ ...worktree, ...why, removed: removal.removed });
  }
  return results;
}

type Owner = Pick<TeamWorktree, 'team' | 'member' | 'archived'>;

function ownersOf(teams: readonly TeamFile[], archive: readonly ArchivedTeam[]): Map<string, Owner> {
  const owners = new Map<string, Owner>();
  const add = ({ name: team, members }: TeamFile, archived: { archived?: true }) => {
    for (const { name, worktreePath } of members)
      if (worktreePath !== undefined && !owners.has(worktreePath))
        owners.set(worktreePath, { team, member: name, ...archived });
  };
  for (const team of teams) add(team, {});
  for (const { team } of archive) add(team, { archived: true });
  return owners;
}
