import type { Member, TeamFile } from '../../team/teamFile.js';
import { messageOf } from '../../util/errors.js';
import { changedSince, type Forecast } from '../../worktree/merge.js';
import { workOf } from '../look/diff.js';
import type { World } from '../services.js';

/** Files of a merge that another member's worktree changes too, committed or not. */
export interface Overlap {
  readonly member: string;
  readonly files: readonly string[];
  /** Why nobody knows. */
  readonly unknown?: string;
}

/** Those of the other members who have something that `into` has not. */
export async function overlapsOf(
  world: Pick<World, 'run'>,
  team: TeamFile,
  { name }: Member,
  { changes, into }: Pick<Forecast, 'changes' | 'into'>,
): Promise<Overlap[]> {
  const overlaps: Overlap[] = [];
  for (const other of team.members) {
    const { worktreePath, worktreeRemoved, worktreeHookMade } = other;
    if (other.name === name || worktreePath === undefined || worktreeRemoved || worktreeHookMade) continue;
    try {
      const theirs = await changedSince(world.run, await workOf(world, team, other), into.commit);
      const files = changes.flatMap(({ path }) => (theirs.has(path) ? [path] : []));
      if (files.length > 0) overlaps.push({ member: other.name, files });
    } catch (error) {
      overlaps.push({ member: other.name, files: [], unknown: messageOf(error) });
    }
  }
  return overlaps;
}
