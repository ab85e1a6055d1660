import { addSpent, cacheShareOf, NOTHING_SPENT, type Spent, sumByModel } from '../../model/usage.js';

export interface Total {
  readonly spent: Spent;
  /** The part of what went in that the cache had, from 0 to 1; `null` where nothing went in. */
  readonly cacheShare: number | null;
}

/** The sum of what several have used, each by model. */
export function totalSpent(all: readonly Readonly<Record<string, Spent>>[]): Total {
  return totalOf(all.flatMap((models) => Object.values(models)));
}

export function totalOf(all: readonly Spent[]): Total {
  const spent = all.reduce(addSpent, NOTHING_SPENT);
  return { spent, cacheShare: cacheShareOf(spent) };
}

/** The sums by model, the dearest first. */
export function byModel(all: readonly Readonly<Record<string, Spent>>[]): readonly (readonly [string, Spent])[] {
  return [...sumByModel(all)].sort(([, a], [, b]) => b.costUsd - a.costUsd);
}
