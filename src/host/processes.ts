import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { hasCode } from '../util/errors.js';
import { run } from './run.js';

/** A process, told apart from a later one that was given the same id. */
export interface ProcessRef {
  readonly pid: number;
  /** `linux:<boot id>:<start ticks>`; elsewhere what `ps -o lstart` prints. */
  readonly procStart: string;
}

/** When `pid` was started, or `undefined` when no such process lives (a zombie does not). */
export async function procStart(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') return linuxStart(pid);
  const { exitCode, stdout } = await run('ps', ['-o', 'stat=,lstart=', '-p', String(pid)]);
  const [, state, started] = /^(\S+)\s+(.+)$/.exec(stdout.trim()) ?? [];
  return exitCode !== 0 || state === undefined || state.startsWith('Z') ? undefined : started;
}

function linuxStart(pid: number): string | undefined {
  const { state, ticks } = linuxStat(pid);
  return state === undefined || state === 'Z' || state === 'X' || ticks === undefined
    ? undefined
    : `linux:${bootId()}:${ticks}`;
}

/** The parent of a process; nothing where it is gone, or the machine does not say. */
export function parentOf(pid: number): number | undefined {
  return linuxStat(pid).parent;
}

function linuxStat(pid: number): {
  state?: string | undefined;
  parent?: number;
  group?: number;
  ticks?: string | undefined;
  /** Of its own, and of its children that have ended. */
  used?: number;
} {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the program's name in parentheses and may hold anything (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const used = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
    return { state: fields[0], parent: Number(fields[1]), group: Number(fields[2]), ticks: fields[19], used };
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH')) return {};
    throw error;
  }
}

/** The living processes in the group that this living process leads, itself included. */
export async function groupMembers(leader: ProcessRef): Promise<ProcessRef[]> {
  if (!(await isAlive(leader))) return [];
  const pids = process.platform === 'linux' ? await linuxGroup(leader.pid) : await listedGroup(leader.pid);
  const members = await Promise.all(pids.map(async (pid) => ({ pid, procStart: await procStart(pid) })));
  return members.flatMap(({ pid, procStart }) => (procStart === undefined ? [] : [{ pid, procStart }]));
}

async function linuxGroup(group: number): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry)).map(Number);
  return pids.filter((pid) => linuxStat(pid).group === group);
}

async function listedGroup(group: number): Promise<number[]> {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,pgid=']);
  const rows = stdout.split('\n').map((row) => row.trim().split(/\s+/).map(Number));
  return rows.flatMap(([pid, of]) => (pid !== undefined && of === group ? [pid] : []));
}

/** In which Linux counts times for every program (USER_HZ). */
const TICK_MS = 10;

/** Milliseconds of processor time that a process and its descendants have had. Linux only: elsewhere it is not known. */
export async function processorTime(pid: number): Promise<number | undefined> {
  if (process.platform !== 'linux') return undefined;
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry)).map(Number);
  const others = new Map(pids.map((other) => [other, linuxStat(other)]));
  const tree = new Set([pid]);
  // A set that grows while it is gone through: children of children come behind them.
  for (const ancestor of tree) for (const [other, { parent }] of others) if (parent === ancestor) tree.add(other);
  return [...tree].reduce((sum, one) => sum + (others.get(one)?.used ?? 0) * TICK_MS, 0);
}

/** About how many processes and threads this machine runs; 0 where it does not say. */
export function taskCount(): number {
  if (process.platform !== 'linux') return 0;
  const [, count] = /\/(\d+) \d+\s*$/.exec(readFileSync('/proc/loadavg', 'utf8')) ?? [];
  return Number(count ?? 0);
}

/** The groups of these processes, but not our own. */
export function groupsOf(pids: readonly number[]): readonly number[] {
  const groups = new Set(pids.map((pid) => linuxStat(pid).group ?? 0));
  return [...groups].filter((group) => group > 1 && group !== linuxStat(process.pid).group);
}

/** SIGKILL to a whole group at once, which none of its members outruns by forking. */
export function killGroup(group: number): void {
  signalGroup(group, 'SIGKILL');
}

/** A signal to all of a group that there still is. */
export function signalGroup(group: number, signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(-group, signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

let boot: string | undefined;
function bootId(): string {
  boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return boot;
}

let self: Promise<ProcessRef> | undefined;
export function thisProcess(): Promise<ProcessRef> {
  self ??= procStart(process.pid).then((started) => ({ pid: process.pid, procStart: started ?? 'unknown' }));
  return self;
}

/** Whether exactly this process still lives. Members in one process ask it of each other all the time: no file is read for it. */
export async function isAlive({ pid, procStart: started }: ProcessRef): Promise<boolean> {
  return (pid === process.pid ? (await thisProcess()).procStart : await procStart(pid)) === started;
}

/** Sends `signal` to exactly this process (or to the group it leads); false when it is gone. */
export async function sendSignal(
  target: ProcessRef,
  signal: NodeJS.Signals,
  to: 'process' | 'group' = 'process',
): Promise<boolean> {
  if (!(await isAlive(target))) return false;
  try {
    process.kill(to === 'group' ? -target.pid : target.pid, signal);
    return true;
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return to === 'group' ? sendSignal(target, signal) : false;
    throw error;
  }
}
