import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeAtomic } from '../store/atomicFile.js';
import { fingerprint } from '../store/fingerprint.js';
import { readJson, toJson } from '../store/jsonFile.js';
import { type StillOurs, withLock } from '../store/lock.js';
import { hasCode, messageOf, UserError } from '../util/errors.js';
import { withEdges } from './edges.js';
import { checkClaim, isOwnedBy, isTakeable, linked, requireTask, Task, type TaskStatus } from './task.js';

export interface NewTask {
  readonly subject: string;
  readonly description: string;
  readonly activeForm?: string | undefined;
  /** Assigns it: the owner has not taken it up yet. */
  readonly owner?: string | undefined;
  readonly blockedBy?: readonly string[] | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface TaskChange {
  readonly subject?: string | undefined;
  readonly description?: string | undefined;
  readonly activeForm?: string | undefined;
  readonly status?: TaskStatus | undefined;
  readonly addBlocks?: readonly string[] | undefined;
  readonly addBlockedBy?: readonly string[] | undefined;
  /** With `ownerGeneration` a claim, under the rules of `claim`; without it an assignment; empty: nobody's. */
  readonly owner?: string | undefined;
  readonly ownerGeneration?: number | undefined;
  /** Merged into what is there; `null` removes a key. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface TaskUpdate {
  readonly task: Task;
  /** The fields that are not what they were. */
  readonly updatedFields: readonly string[];
  readonly statusChange?: { readonly from: TaskStatus; readonly to: TaskStatus };
}

/** The list that a team shares. Whatever writes runs under the list's lock. Unknown ids are a UserError that lists the known ones. */
export interface TaskList {
  create(task: NewTask): Promise<Task>;
  get(id: string): Promise<Task | undefined>;
  /** By number. A file that cannot be read is left out: see `broken`. */
  list(): Promise<Task[]>;
  broken(): Promise<{ path: string; reason: string }[]>;
  /** @throws UserError for an edge that would close a ring, and where a claim is refused. */
  update(id: string, change: TaskChange): Promise<TaskUpdate>;
  /** Its id is not used again. */
  remove(id: string): Promise<void>;
  /** Compare-and-set on the owner. @throws UserError when it is blocked, completed or somebody else's. */
  claim(id: string, owner: string, generation: number): Promise<Task>;
  /** Claims for `owner` the lowest takeable task that is its own, else the lowest that is nobody's; `undefined` when there is none. */
  takeFor(owner: string, generation: number): Promise<Task | undefined>;
  /** Voids a dead member's claims: its unfinished tasks are pending again, and nobody's unless they were assigned to it. Returns them. */
  releaseOf(owner: string): Promise<Task[]>;
  /** A member goes on in a new process: what it had claimed stays its own. */
  keepClaims(owner: string, generation: number): Promise<void>;
  /** What somebody could begin now: pending, unblocked, and unowned or not taken up by its owner. */
  takeable(): Promise<Task[]>;
}

/** Looks under way, by folder: the members of a process look at the same moment. */
const looks = new Map<string, Promise<readonly Task[]>>();
/** What the last of them found, by folder. */
const found = new Map<string, { readonly prints: string; readonly tasks: readonly Task[] }>();

/** The task list in `dir`, which must exist for it to be written. */
export function openTaskList(dir: string): TaskList {
  const fileOf = (id: string) => join(dir, `${id}.json`);
  const highwater = join(dir, '.highwater');

  const ids = async (): Promise<string[]> => {
    try {
      return (await readdir(dir)).flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? []);
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return [];
      throw error;
    }
  };

  const readAll = async () => {
    const tasks: Task[] = [];
    const broken: { path: string; reason: string }[] = [];
    for (const id of await ids()) {
      try {
        const task = await readJson(fileOf(id), Task);
        if (task) tasks.push({ ...task, id });
      } catch (error) {
        broken.push({ path: fileOf(id), reason: messageOf(error) });
      }
    }
    return { tasks: linked(tasks), broken };
  };

  const list = async () => (await readAll()).tasks;
  /** Opens no file of a list that is as it was. */
  const look = async (): Promise<readonly Task[]> => {
    const prints = (await ids()).map((id) => `${id} ${fingerprint(fileOf(id))}`).join('|');
    const before = found.get(dir);
    if (before?.prints === prints) return before.tasks;
    const tasks = await list();
    found.set(dir, { prints, tasks });
    return tasks;
  };
  const sharedList = () => {
    const shared = looks.get(dir) ?? look().finally(() => looks.delete(dir));
    looks.set(dir, shared);
    return shared;
  };

  /** Writes what `change` returns of the list as it is under the lock, and nothing else. */
  const write = <T>(change: (all: readonly Task[]) => Promise<{ changed: readonly Task[]; result: T }>): Promise<T> =>
    withLock(
      dir,
      async (stillOurs) => {
        const { changed, result } = await change(await list());
        for (const task of changed) await put(task, stillOurs);
        return result;
      },
      join(dir, '.lock'),
    );

  const put = (task: Task, stillOurs: StillOurs) =>
    writeAtomic(fileOf(task.id), toJson(Task.parse(task)), { beforeRename: stillOurs });

  const nextId = async (): Promise<string> => {
    const last = Number(await readFile(highwater, 'utf8').catch(() => '0'));
    const next = 1 + Math.max(Number.isSafeInteger(last) ? last : 0, ...(await ids()).map(Number));
    await writeAtomic(highwater, `${next}\n`);
    return String(next);
  };

  const claimed = (task: Task, owner: string, ownerGeneration: number): Task => ({ ...task, owner, ownerGeneration });

  return {
    list,
    broken: async () => (await readAll()).broken,
    get: async (id) => (await list()).find((task) => task.id === id),
    takeable: async () => {
      const all = await list();
      return all.filter((task) => isTakeable(task, all));
    },
    create: ({ subject, description, activeForm, owner, blockedBy = [], metadata }) =>
      write(async (all) => {
        if (subject.trim() === '') throw new UserError('A task needs a subject.');
        for (const blocker of blockedBy) requireTask(all, blocker);
        const task: Task = {
          id: await nextId(),
          subject,
          description,
          status: 'pending',
          blocks: [],
          blockedBy: [...blockedBy],
          ...(activeForm !== undefined && { activeForm }),
          ...(owner !== undefined && { owner, assigned: true }),
          ...(metadata !== undefined && { metadata: { ...metadata } }),
        };
        const next = linked([...all, task]);
        const result = requireTask(next, task.id);
        return { changed: [result, ...differing(all, next).filter(({ id }) => id !== task.id)], result };
      }),
    update: (id, change) =>
      write(async (all) => {
        const before = requireTask(all, id);
        if (change.owner && change.ownerGeneration !== undefined)
          checkClaim(before, all, change.owner, change.ownerGeneration);
        const edited = all.map((task) => (task === before ? withFields(before, change) : task));
        const next = withEdges(edited, id, change);
        const task = requireTask(next, id);
        const updatedFields = fieldsThatDiffer(before, task);
        const statusChange =
          before.status === task.status ? {} : { statusChange: { from: before.status, to: task.status } };
        return { changed: differing(all, next), result: { task, updatedFields, ...statusChange } };
      }),
    remove: (id) =>
      write(async (all) => {
        requireTask(all, id);
        await rm(fileOf(id));
        const next = linked(all.filter((task) => task.id !== id));
        return { changed: differing(all, next), result: undefined };
      }),
    claim: (id, owner, generation) =>
      write(async (all) => {
        const task = requireTask(all, id);
        checkClaim(task, all, owner, generation);
        const result = claimed(task, owner, generation);
        return { changed: [result], result };
      }),
    async takeFor(owner, generation) {
      // Every idle member asks about once a second: where there is nothing to take, nobody waits for a lock.
      if (!taskFor(owner, await sharedList())) return undefined;
      return write<Task | undefined>(async (all) => {
        const task = taskFor(owner, all);
        if (!task) return { changed: [], result: undefined };
        const result = claimed(task, owner, generation);
        return { changed: [result], result };
      });
    },
    keepClaims: (owner, generation) =>
      write(async (all) => ({
        changed: claimedBy(owner, all).map((task) => ({ ...task, ownerGeneration: generation })),
        result: undefined,
      })),
    releaseOf: (owner) =>
      write(async (all) => {
        const result = claimedBy(owner, all).map(released);
        return { changed: result, result };
      }),
  };
}

/** The lowest takeable task that is the owner's own, else the lowest that is nobody's. */
function taskFor(owner: string, all: readonly Task[]): Task | undefined {
  const free = all.filter((task) => isTakeable(task, all));
  return (
    free.find((candidate) => isOwnedBy(candidate, owner)) ?? free.find((candidate) => candidate.owner === undefined)
  );
}

function claimedBy(owner: string, all: readonly Task[]): readonly Task[] {
  return all.filter(
    (task) => task.status !== 'completed' && task.ownerGeneration !== undefined && isOwnedBy(task, owner),
  );
}

function released({ ownerGeneration: _, owner, ...task }: Task): Task {
  return { ...task, status: 'pending', ...(task.assigned && { owner }) };
}

function withFields(
  task: Task,
  { subject, description, activeForm, status, owner, ownerGeneration, metadata }: TaskChange,
): Task {
  return {
    ...(owner === undefined ? task : owned(task, owner, ownerGeneration)),
    ...(subject !== undefined && { subject }),
    ...(description !== undefined && { description }),
    ...(activeForm !== undefined && { activeForm }),
    ...(status !== undefined && { status }),
    ...(metadata !== undefined && { metadata: mergedMetadata(task.metadata ?? {}, metadata) }),
  };
}

function owned(
  { owner: before, ownerGeneration: _, assigned, ...task }: Task,
  owner: string,
  ownerGeneration: number | undefined,
): Task {
  if (owner === '') return task;
  if (ownerGeneration === undefined) return { ...task, owner, assigned: true };
  return { ...task, owner, ownerGeneration, ...(assigned && before !== undefined && { assigned }) };
}

function mergedMetadata(
  before: Readonly<Record<string, unknown>>,
  change: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries({ ...before, ...change }).filter(([, value]) => value !== null));
}

function differing(before: readonly Task[], after: readonly Task[]): Task[] {
  const known = new Map(before.map((task) => [task.id, JSON.stringify(task)]));
  return after.filter((task) => known.get(task.id) !== JSON.stringify(task));
}

function fieldsThatDiffer(before: Task, after: Task): string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => JSON.stringify(before[key]) !== JSON.stringify(after[key]));
}
