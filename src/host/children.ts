import { readdirSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { Clock } from './clock.js';
import {
  groupMembers,
  groupsOf,
  isAlive,
  killGroup,
  type ProcessRef,
  parentOf,
  procStart,
  sendSignal,
  taskCount,
} from './processes.js';

/**
 * How a child of a member's tool is found again, also after it has left its process group and session:
 * variables in its environment.
 */
export interface Mark {
  /** `<name>@<team>:<generation>`, or without the generation for any of them. */
  readonly member: string;
  /** `$TROUPE_HOME`: teams of two homes may have the same name. */
  readonly home: string;
  /** One tool call of the member, by its tool-use id; all of them when absent. */
  readonly call?: string;
  /** One sub-agent of the member; the member itself and all of them when absent. */
  readonly agent?: string;
}

export const MARK_VARIABLE = 'TROUPE_MEMBER';
const CALL_VARIABLE = 'TROUPE_CALL';
const AGENT_VARIABLE = 'TROUPE_AGENT';

export function markEnvironment(mark: Mark): Record<string, string> {
  return {
    [MARK_VARIABLE]: mark.member,
    TROUPE_HOME: mark.home,
    ...(mark.call !== undefined && { [CALL_VARIABLE]: mark.call }),
    ...(mark.agent !== undefined && { [AGENT_VARIABLE]: mark.agent }),
  };
}

/**
 * The member of this `home` whose tool started this process, by the farthest ancestor that began with its mark: taking
 * the variables away, or setting others, hides nothing. Linux only; one whose parents have ended has no ancestors.
 */
export function memberOfAncestors(home: string): string | undefined {
  if (process.platform !== 'linux') return undefined;
  let found: string | undefined;
  for (let pid = process.ppid; pid > 1; pid = parentOf(pid) ?? 0) {
    const variables = environmentOf(String(pid)).split('\0');
    const mark = variables.find((variable) => variable.startsWith(`${MARK_VARIABLE}=`));
    if (mark !== undefined && variables.includes(`TROUPE_HOME=${home}`)) found = mark.slice(MARK_VARIABLE.length + 1);
  }
  return found;
}

/** The living processes that carry the mark. Linux only: elsewhere there is no way to ask, and the list is empty. */
export async function markedProcesses(mark: Mark): Promise<ProcessRef[]> {
  return (await markedWithAny([mark])).map(({ process }) => process);
}

/** The same for many marks, with one look at all processes: each with the first of the marks that it carries. */
export async function markedWithAny(
  marks: readonly Mark[],
): Promise<{ readonly process: ProcessRef; readonly mark: Mark }[]> {
  if (process.platform !== 'linux' || marks.length === 0) return [];
  const found: { process: ProcessRef; mark: Mark }[] = [];
  for (const entry of await readdir('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    // At once: a detour through other threads for each process costs many times the look itself.
    const environment = environmentOf(entry);
    const mark = marks.find((candidate) => carriesMark(environment, candidate));
    const pid = Number(entry);
    const started = mark === undefined || pid === process.pid ? undefined : await procStart(pid);
    if (mark && started !== undefined) found.push({ process: { pid, procStart: started }, mark });
  }
  return found;
}

function carriesMark(environment: string, { member, home, call, agent }: Mark): boolean {
  if (!environment.includes(MARK_VARIABLE)) return false;
  const variables = environment.split('\0');
  return (
    variables.includes(`TROUPE_HOME=${home}`) &&
    (call === undefined || variables.includes(`${CALL_VARIABLE}=${call}`)) &&
    (agent === undefined || variables.includes(`${AGENT_VARIABLE}=${agent}`)) &&
    variables.some(
      (variable) =>
        variable === `${MARK_VARIABLE}=${member}` ||
        (!member.includes(':') && variable.startsWith(`${MARK_VARIABLE}=${member}:`)),
    )
  );
}

/**
 * Ends every process that carries the mark: SIGTERM, after `graceMs` SIGKILL. Returns how many there were, once they are
 * gone.
 */
export async function endMarked(mark: Mark, clock: Clock, graceMs = 2000): Promise<number> {
  return endMarkedWithAny([mark], clock, graceMs);
}

/** The same for many marks. */
export async function endMarkedWithAny(marks: readonly Mark[], clock: Clock, graceMs = 2000): Promise<number> {
  const found = await markedWithAny(marks);
  await endAll(
    found.map((one) => one.process),
    clock,
    graceMs,
  );
  // What they started between our look and their end carries the mark too.
  const late = await markedWithAny(marks);
  await killThoseLeft(
    late.map((one) => one.process),
    clock,
    0,
  );
  return found.length;
}

/**
 * Ends a program that was started in a group of its own, with all it started: the group holds children that dropped the
 * mark, the mark finds those that left the group. SIGTERM, after `graceMs` SIGKILL.
 */
export async function endProgram(leader: ProcessRef, mark: Mark, clock: Clock, graceMs: number): Promise<void> {
  const [group, marked] = await Promise.all([groupMembers(leader), markedProcesses(mark)]);
  const others = marked.filter(({ pid }) => !group.some((member) => member.pid === pid));
  // To the group as a whole: one that is just being forked gets it too.
  await sendSignal(leader, 'SIGTERM', 'group');
  for (const target of others) await sendSignal(target, 'SIGTERM');
  await killThoseLeft([...group, ...others], clock, graceMs);
  await endMarked(mark, clock, graceMs);
}

/**
 * Waits for `work`. From the moment on that `hurry` is aborted, nothing of what carries one of the marks keeps it: that is
 * killed, and what comes after it too, until the work is done.
 */
export async function hurried<T>(
  work: Promise<T>,
  {
    marks,
    hurry,
    clock,
  }: { readonly marks: readonly Mark[]; readonly hurry: AbortSignal | undefined; readonly clock: Clock },
): Promise<T> {
  if (!hurry) return work;
  const over = new AbortController();
  const killing = async () => {
    while (!over.signal.aborted) {
      for (const mark of marks) await endMarked(mark, clock, 0);
      await clock.sleep(50, over.signal).catch(() => {});
    }
  };
  const begin = () => void killing().catch(() => {});
  if (hurry.aborted) begin();
  else hurry.addEventListener('abort', begin, { once: true, signal: over.signal });
  try {
    return await work;
  } finally {
    over.abort();
  }
}

/** What was killed dies when it comes to run, on a busy machine later; but for what waits for a broken disk, soon. */
const DYING_MS = 2000;

/** SIGTERM to each, and SIGKILL to those that still live after `graceMs`. */
async function endAll(processes: readonly ProcessRef[], clock: Clock, graceMs: number): Promise<void> {
  for (const target of processes) await sendSignal(target, 'SIGTERM');
  await killThoseLeft(processes, clock, graceMs);
}

/** SIGKILL to those that still live after `graceMs`; they are gone when it returns. */
export async function killThoseLeft(processes: readonly ProcessRef[], clock: Clock, graceMs: number): Promise<void> {
  const left = await thoseLeft(processes, clock, graceMs);
  for (const target of left) await sendSignal(target, 'SIGKILL');
  await thoseLeft(left, clock, DYING_MS);
}

/** Who still lives after so long; nobody is waited for that has ended. */
async function thoseLeft(processes: readonly ProcessRef[], clock: Clock, ms: number): Promise<readonly ProcessRef[]> {
  const until = clock.monotonic() + ms;
  let alive = processes;
  while (alive.length > 0 && clock.monotonic() < until) {
    await clock.sleep(20);
    const still = await Promise.all(alive.map(isAlive));
    alive = alive.filter((_, index) => still[index]);
  }
  return alive;
}

/**
 * Ends all that carries the mark once that is more than `most` processes, and then says so. Cheap to ask often: it looks
 * closely when the machine has as many new ones, and now and then, for others may have ended meanwhile. It never waits,
 * for what forks without end leaves no time to.
 */
export function containMarked(mark: Mark, most: number): () => boolean {
  const before = taskCount();
  let asked = 0;
  return () => {
    if (taskCount() - before <= most && ++asked % CLOSE_LOOK_EVERY !== 0) return false;
    if (markedNow(mark).length <= most) return false;
    for (let left = markedNow(mark), round = 0; left.length > 0 && round < MOST_ROUNDS; round++) {
      for (const group of groupsOf(left)) killGroup(group);
      left = markedNow(mark);
    }
    return true;
  };
}

const CLOSE_LOOK_EVERY = 20;
const MOST_ROUNDS = 100;

function markedNow(mark: Mark): number[] {
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry) && entry !== String(process.pid));
  return pids.filter((pid) => carriesMark(environmentOf(pid), mark)).map(Number);
}

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}
