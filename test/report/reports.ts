import type { RunReport } from '../../src/report/runReport.js';

/** A run that ended well, but for what is said otherwise. */
export function reportOf(rest: Partial<RunReport> = {}): RunReport {
  return {
    subtype: 'success',
    is_error: false,
    result: 'It is 42.',
    team: 'red',
    duration_ms: 61_234,
    total_cost_usd: 0.25,
    members: [
      { name: 'team-lead', state: 'idle', turns: 3, costUsd: 0.2, lastReport: undefined },
      { name: 'bob', state: 'idle', turns: 1, costUsd: 0.05, lastReport: 'I looked.' },
    ],
    tasks: [{ id: '1', subject: 'Dig', status: 'completed', owner: 'bob' }],
    worktrees: [],
    ...rest,
  };
}
