import * as z from 'zod/mini';

/** A script as it was written, before it is known to be one. */
export interface Written {
  readonly file: string;
  readonly raw: unknown;
  /** The line that a place in `raw` was written in, from 1. */
  lineOf(path: readonly PropertyKey[]): number;
}

/** What the rule that a path leads into calls itself, if anything. */
export function nameOfRule(raw: unknown, [, agent, index]: readonly PropertyKey[]): string | undefined {
  const rule = z.object({ name: z.string() }).safeParse(fieldOf(fieldOf(fieldOf(raw, 'agents'), agent), index));
  return rule.success ? rule.data.name : undefined;
}

export function fieldOf(value: unknown, key: PropertyKey | undefined): unknown {
  return key !== undefined && typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}
