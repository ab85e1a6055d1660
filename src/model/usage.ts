import type { AssistantMessage, Usage } from './types.js';

export const NO_USAGE: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** The API's counts in our words. `input` is what lies behind the last cache breakpoint, as in the API. */
export function toUsage(usage: AssistantMessage['usage']): Usage {
  return {
    input: usage.input_tokens,
    output: usage.output_tokens,
    cacheRead: usage.cache_read_input_tokens ?? 0,
    cacheWrite: usage.cache_creation_input_tokens ?? 0,
    ...searches(usage.server_tool_use?.web_search_requests ?? 0),
  };
}

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    ...searches((a.webSearches ?? 0) + (b.webSearches ?? 0)),
  };
}

const searches = (count: number) => (count > 0 ? { webSearches: count } : {});

/** Usage and what it cost. */
export type Spent = Usage & { readonly costUsd: number };

export const NOTHING_SPENT: Spent = { ...NO_USAGE, costUsd: 0 };

export function addSpent(a: Spent, b: Spent): Spent {
  return { ...addUsage(a, b), costUsd: a.costUsd + b.costUsd };
}

/** The part of what went in that the cache had, from 0 to 1; `null` where nothing went in. */
export function cacheShareOf({ input, cacheRead, cacheWrite }: Usage): number | null {
  const asked = input + cacheRead + cacheWrite;
  return asked === 0 ? null : cacheRead / asked;
}

/** The sums by model of several who have asked models. */
export function sumByModel(all: readonly Readonly<Record<string, Spent>>[]): Map<string, Spent> {
  const sums = new Map<string, Spent>();
  for (const models of all)
    for (const [model, spent] of Object.entries(models))
      sums.set(model, addSpent(sums.get(model) ?? NOTHING_SPENT, spent));
  return sums;
}
