import { isRecord } from '../../../definitions/frontmatter.js';
import type { ToolSchema } from '../../../model/types.js';
import { toolProblem } from '../../../modelServer/check/toolSchema.js';

const AT_THE_TOP = ['oneOf', 'allOf', 'anyOf'];

/**
 * A schema of a server or of a user as the API takes it: `type: object` where it says nothing, no alternatives at the top (whoever
 * made it checks them), lists of `items` as draft 2020-12 has them. Or why the API would refuse it all the same.
 */
export function mendedSchema(
  name: string,
  raw: unknown,
): { readonly schema: ToolSchema['input_schema'] } | { readonly problem: string } {
  if (raw !== undefined && !isRecord(raw)) return { problem: 'its schema is no object' };
  const { $schema: _, ...given } = raw ?? {};
  const kept = Object.fromEntries(Object.entries(given).filter(([key]) => !AT_THE_TOP.includes(key)));
  const mended = mend(kept);
  const schema = { ...(isRecord(mended) ? mended : {}), type: 'object' as const };
  const problem = toolProblem({ name, input_schema: schema }, 0);
  return problem === undefined ? { schema } : { problem: problem.replace(/^tools\.0\.custom\./, '') };
}

/** Up to draft 7 a list of schemas under `items` was what `prefixItems` is now, and `additionalItems` what `items` is. */
function mend(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mend);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, mend(inner)] as const);
  if (!Array.isArray(value['items'])) return Object.fromEntries(entries);
  const names: Readonly<Record<string, string>> = { items: 'prefixItems', additionalItems: 'items' };
  return Object.fromEntries(entries.map(([key, inner]) => [names[key] ?? key, inner]));
}
