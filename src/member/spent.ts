import type { Spending } from '../agent/events.js';
import { addSpent, addUsage, NOTHING_SPENT } from '../model/usage.js';
import type { RunRecord } from '../team/runRecord.js';

/** A record's sums with one more response in them. */
export function withSpent(
  { tokens, costUsd, apiMs = 0, models = {} }: RunRecord,
  { message, usage, costUsd: cost, durationMs = 0 }: Spending,
): Pick<RunRecord, 'tokens' | 'costUsd' | 'apiMs' | 'models'> {
  const before = models[message.model] ?? NOTHING_SPENT;
  return {
    tokens: addUsage(tokens, usage),
    costUsd: costUsd + cost,
    apiMs: apiMs + durationMs,
    models: { ...models, [message.model]: addSpent(before, { ...usage, costUsd: cost }) },
  };
}
