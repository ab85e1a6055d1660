import * as z from 'zod/mini';
import { UserError } from '../util/errors.js';
import { isSameName } from '../util/names.js';

export const TaskStatus = z.enum(['pending', 'in_progress', 'completed']);
export type TaskStatus = z.infer<typeof TaskStatus>;

/** A task of the list that a team shares. */
export const Task = z.looseObject({
  /** A number in digits; counts up and is never used twice. */
  id: z.string(),
  subject: z.string(),
  description: z.string(),
  /** What doing it is called, for displays: "Running the tests". */
  activeForm: z.optional(z.string()),
  status: TaskStatus,
  owner: z.optional(z.string()),
  /** The owner's generation that claimed it. Absent: assigned and not taken up yet. */
  ownerGeneration: z.optional(z.number()),
  /** The owner was chosen by somebody else, and stays it when the process that took the task dies. */
  assigned: z.optional(z.boolean()),
  blocks: z._default(z.array(z.string()), []),
  blockedBy: z._default(z.array(z.string()), []),
  metadata: z.optional(z.record(z.string(), z.unknown())),
});
export type Task = z.infer<typeof Task>;

/**
 * The tasks by number, each edge known to both its ends. An edge is in two files: a crash may have come between them.
 * Edges to tasks that are gone are left out.
 */
export function linked(tasks: readonly Task[]): Task[] {
  const known = new Set(tasks.map(({ id }) => id));
  const edges = tasks.flatMap(({ id, blocks, blockedBy }) => [
    ...blocks.map((blocked) => ({ blocker: id, blocked })),
    ...blockedBy.map((blocker) => ({ blocker, blocked: id })),
  ]);
  const valid = edges.filter(({ blocker, blocked }) => known.has(blocker) && known.has(blocked));
  return [...tasks].sort(byId).map((task) => ({
    ...task,
    blocks: inOrder(valid.filter(({ blocker }) => blocker === task.id).map(({ blocked }) => blocked)),
    blockedBy: inOrder(valid.filter(({ blocked }) => blocked === task.id).map(({ blocker }) => blocker)),
  }));
}

/** @throws UserError that lists the tasks there are. */
export function requireTask(all: readonly Task[], id: string): Task {
  const task = all.find((candidate) => candidate.id === id);
  if (!task)
    throw new UserError(`No task ${JSON.stringify(id)}. Tasks: ${all.map((known) => known.id).join(', ') || 'none'}.`);
  return task;
}

/** The unfinished tasks that must be done before this one. */
export function blockersOf(task: Task, all: readonly Task[]): Task[] {
  return all.filter(
    ({ id, status, blocks }) => status !== 'completed' && (task.blockedBy.includes(id) || blocks.includes(task.id)),
  );
}

export function isBlocked(task: Task, all: readonly Task[]): boolean {
  return blockersOf(task, all).length > 0;
}

/** Whether somebody could begin it now. */
export function isTakeable(task: Task, all: readonly Task[]): boolean {
  return (
    task.status === 'pending' &&
    (task.owner === undefined || task.ownerGeneration === undefined) &&
    !isBlocked(task, all)
  );
}

export function isOwnedBy(task: Task, owner: string): boolean {
  return task.owner !== undefined && isSameName(task.owner, owner);
}

/** @throws UserError when this task is done, blocked, somebody else's, or a later generation's. */
export function checkClaim(task: Task, all: readonly Task[], owner: string, generation: number): void {
  if (task.status === 'completed') throw new UserError(`Task ${task.id} is completed already.`);
  if (task.owner !== undefined && !isOwnedBy(task, owner)) {
    throw new UserError(`Task ${task.id} belongs to ${task.owner}. Take another one, or ask ${task.owner} for it.`);
  }
  if (task.ownerGeneration !== undefined && task.ownerGeneration > generation) {
    throw new UserError(
      `Task ${task.id} belongs to a later run of ${owner} than this one (${task.ownerGeneration}, not ${generation}).`,
    );
  }
  const blockers = blockersOf(task, all);
  if (blockers.length > 0) {
    throw new UserError(
      `Task ${task.id} waits for ${blockers.map(({ id, subject }) => `${id} (${subject})`).join(', ')}. Take one that waits for nothing.`,
    );
  }
}

/** The way from `blocker` back to itself that a new edge `blocker` → `blocked` would close, if it would. */
export function cycleThrough(blocker: string, blocked: string, all: readonly Task[]): string[] | undefined {
  const cameFrom = new Map<string, string>([[blocked, blocker]]);
  const open = [blocked];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === blocker) return wayTo(blocker, cameFrom);
    for (const next of all.find((task) => task.id === id)?.blocks ?? []) {
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, id);
      open.push(next);
    }
  }
  return undefined;
}

function wayTo(end: string, cameFrom: ReadonlyMap<string, string>): string[] {
  const way = [end];
  for (let id = cameFrom.get(end); id !== undefined; id = cameFrom.get(id)) {
    way.unshift(id);
    if (id === end) return way;
  }
  return way;
}

function inOrder(ids: readonly string[]): string[] {
  return [...new Set(ids)].sort((a, b) => Number(a) - Number(b));
}

function byId(a: Task, b: Task): number {
  return Number(a.id) - Number(b.id);
}
