import type { BoardMember, TeamSnapshot } from '../snapshot.js';

export function stateWords({ record }: Pick<BoardMember, 'record'>): string {
  if (!record) return 'starting';
  if (record.waitingFor) return `waits for ${record.waitingFor}`;
  const how = record.exit ? (record.exit.signal ?? record.exit.code) : undefined;
  return how === undefined || how === null ? record.state : `${record.state} (${how})`;
}

export function hasMemberEnded({ record }: Pick<BoardMember, 'record'>): boolean {
  return record?.state === 'exited' || record?.state === 'terminated';
}

/** What it does, else what its next step is called. */
export function doingWords({ record }: Pick<BoardMember, 'record'>): string {
  const step = record?.todos?.find(({ status }) => status === 'in_progress')?.activeForm;
  return record?.questions?.[0] ?? record?.activity ?? (record?.state === 'working' ? step : undefined) ?? '';
}

export function tokensIn({ record }: Pick<BoardMember, 'record'>): number {
  if (!record) return 0;
  const { input, output, cacheRead, cacheWrite } = record.tokens;
  return input + output + cacheRead + cacheWrite;
}

export function countWords(count: number): string {
  if (count < 10_000) return String(count);
  return count < 1_000_000 ? `${Math.round(count / 1000)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

export function moneyWords(usd: number): string {
  return `$${usd.toFixed(usd < 10 ? 3 : 2)}`;
}

/** How long ago, in one unit. */
export function agoWords(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 100) return `${seconds} s`;
  if (seconds < 100 * 60) return `${Math.round(seconds / 60)} min`;
  return seconds < 48 * 3600 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} d`;
}

/** The time of day, where the person is. */
export function timeOf(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return '';
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

export function stateOfTeam({ state }: Pick<TeamSnapshot, 'state'>): string {
  return state === 'archived' ? 'has ended' : state;
}
