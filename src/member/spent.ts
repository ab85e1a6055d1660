import type { Spending } from '../agent/events.js';
import { addUsage, NO_USAGE } from '../model/usage.js';
import type { RunRecord } from '../team/runRecord.js';

/** A record's sums with one more response in them. */
export function withSpent(
  { tokens, costUsd, models = {} }: RunRecord,
  { message, usage, costUsd: cost }: Spending,
): Pick<RunRecord, 'tokens' | 'costUsd' | 'models'> {
  const { costUsd: before, ...counted } = models[message.model] ?? { ...NO_USAGE, costUsd: 0 };
  return {
    tokens: addUsage(tokens, usage),
    costUsd: costUsd + cost,
    models: { ...models, [message.model]: { ...addUsage(counted, usage), costUsd: before + cost } },
  };
}
