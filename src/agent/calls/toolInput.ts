import type * as z from 'zod/mini';
import { toJSONSchema } from 'zod/v4/core';
import english from 'zod/v4/locales/en.js';
import type { ToolSchema } from '../../model/types.js';
import { ToolError } from '../../util/errors.js';
import { didYouMean } from '../../util/text.js';

/** The JSON schema that the model is shown; defaulted fields are optional in it. */
export function schemaOf(input: z.ZodMiniType): ToolSchema['input_schema'] {
  const { $schema: _, ...schema } = toJSONSchema(input, {
    io: 'input',
    // Bounds that every whole number has anyway cost tokens and say nothing.
    override: ({ jsonSchema }) => {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return { ...schema, type: 'object' };
}

const { localeError } = english();

/** @throws ToolError that lists everything wrong with the input and what the tool takes. */
export function parseInput<Input>(
  { name, input_schema }: ToolSchema,
  input: z.ZodMiniType<Input>,
  raw: unknown,
  absent: Readonly<Record<string, string>> = {},
): Input {
  const parsed = input.safeParse(raw, { error: localeError });
  const problems = [
    ...unknownKeys(input_schema, raw, absent),
    ...(parsed.success ? [] : parsed.error.issues.map(issueLine)),
  ];
  if (parsed.success && problems.length === 0) return parsed.data;
  throw new ToolError(
    `The input does not fit ${name}:\n${problems.join('\n')}\n${name} takes ${fieldsOf(input_schema)}.`,
  );
}

function unknownKeys(
  schema: ToolSchema['input_schema'],
  raw: unknown,
  absent: Readonly<Record<string, string>>,
): string[] {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return [];
  const { properties, additionalProperties } = schema;
  if (additionalProperties) return [];
  const known = Object.keys(properties ?? {});
  return Object.keys(raw)
    .filter((key) => !known.includes(key))
    .map((key) => `- ${key}: ${absent[key] ?? `there is no such field.${didYouMean(key, known)}`}`);
}

function issueLine({ path, message }: z.core.$ZodIssue): string {
  return `- ${path.length === 0 ? 'input' : path.map(String).join('.')}: ${message}`;
}

function fieldsOf({ properties, required }: ToolSchema['input_schema']): string {
  const fields = Object.entries(properties ?? {}).map(([name, field]) => {
    const type = typeof field === 'object' && field !== null && 'type' in field ? ` (${String(field.type)})` : '';
    return `${name}${required?.includes(name) ? '' : '?'}${type}`;
  });
  return fields.length === 0 ? 'no fields' : fields.join(', ');
}
