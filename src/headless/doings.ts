import { ExitCode } from '../util/errors.js';
import { head } from '../util/text.js';
import type { MemberResult, RunEnd } from './result.js';

/** Ends at which it matters who was doing what. */
const UNFINISHED: readonly ExitCode[] = [
  ExitCode.limit,
  ExitCode.unfinished,
  ExitCode.timeout,
  ExitCode.interrupted,
  ExitCode.terminated,
];

/** What a member has running beside its turns. */
export interface RunningTask {
  readonly member: string;
  readonly type: 'agent' | 'shell' | 'dream';
  readonly description: string;
  readonly activity?: string | undefined;
}

/** The end with a line for each member, and for each task of theirs, behind its errors, where it came before the work was done. */
export function withDoings(end: RunEnd, members: readonly MemberResult[], tasks: readonly RunningTask[]): RunEnd {
  if (!UNFINISHED.includes(end.exitCode)) return end;
  return { ...end, errors: [...end.errors, ...members.map(doing), ...tasks.map(running)] };
}

const KINDS = { agent: 'agent', shell: 'command', dream: 'dream' } as const;

function running({ member, type, description, activity }: RunningTask): string {
  return `${member}: ${KINDS[type]} "${head(description, 100)}" still at work${activity === undefined ? '' : ` (${activity})`}`;
}

function doing({ name, state, activity, turns, costUsd }: MemberResult): string {
  const what = activity === undefined ? state : `${state} (${activity})`;
  return `${name}: ${what}, ${turns} ${turns === 1 ? 'turn' : 'turns'}, $${costUsd.toFixed(4)}`;
}
