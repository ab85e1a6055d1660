import { ExitCode } from '../util/errors.js';
import type { MemberResult, RunEnd } from './result.js';

/** Ends at which it matters who was doing what. */
const UNFINISHED: readonly ExitCode[] = [
  ExitCode.limit,
  ExitCode.unfinished,
  ExitCode.timeout,
  ExitCode.interrupted,
  ExitCode.terminated,
];

/** The end with a line for each member behind its errors, where it came before the work was done. */
export function withDoings(end: RunEnd, members: readonly MemberResult[]): RunEnd {
  if (!UNFINISHED.includes(end.exitCode)) return end;
  return { ...end, errors: [...end.errors, ...members.map(doing)] };
}

function doing({ name, state, activity, turns, costUsd }: MemberResult): string {
  const what = activity === undefined ? state : `${state} (${activity})`;
  return `${name}: ${what}, ${turns} ${turns === 1 ? 'turn' : 'turns'}, $${costUsd.toFixed(4)}`;
}
