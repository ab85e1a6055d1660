import { ModelError } from './types.js';

export interface Budget {
  /** @throws ModelError `budget` when the limit is reached. */
  check(): Promise<void>;
}

/** A limit for what a whole team spends. `spent` sums up what all its members have spent so far, in US dollars. */
export function createBudget({ limitUsd, spent }: { limitUsd: number; spent: () => Promise<number> }): Budget {
  return {
    async check() {
      const sum = await spent();
      if (sum >= limitUsd) {
        throw new ModelError(
          'budget',
          `The budget of $${limitUsd} is used up: $${sum.toFixed(4)} spent. A larger --max-budget-usd goes on.`,
        );
      }
    },
  };
}
