import { UserError } from '../util/errors.js';
import { cycleThrough, linked, requireTask, type Task } from './task.js';

export interface NewEdges {
  readonly addBlocks?: readonly string[] | undefined;
  readonly addBlockedBy?: readonly string[] | undefined;
}

/** The list with new edges at task `id`. @throws UserError for an unknown task, and for an edge that would close a ring. */
export function withEdges(all: readonly Task[], id: string, { addBlocks = [], addBlockedBy = [] }: NewEdges): Task[] {
  const edges = [
    ...addBlocks.map((blocked) => ({ blocker: id, blocked })),
    ...addBlockedBy.map((blocker) => ({ blocker, blocked: id })),
  ];
  return edges.reduce(withEdge, linked(all));
}

function withEdge(all: readonly Task[], { blocker, blocked }: { blocker: string; blocked: string }): Task[] {
  requireTask(all, blocker);
  requireTask(all, blocked);
  const ring = cycleThrough(blocker, blocked, all);
  if (ring)
    throw new UserError(
      `Task ${blocked} cannot wait for ${blocker}: they would wait for each other (${ring.join(' → ')}).`,
    );
  return linked(all.map((task) => (task.id === blocker ? { ...task, blocks: [...task.blocks, blocked] } : task)));
}
