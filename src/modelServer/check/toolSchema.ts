import * as z from 'zod/mini';
import type { Tool } from './request.js';

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const PROPERTY_NAME = /^[a-zA-Z0-9_.-]{1,64}$/;

const types = z.enum(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const natural = z.optional(z.int().check(z.minimum(0)));
const anySchema: z.ZodMiniType = z.lazy(() => z.union([z.boolean(), Schema]));
const schemas = z.optional(z.record(z.string(), anySchema));
const someSchemas = z.optional(z.array(anySchema).check(z.minLength(1)));
const pattern = z.string().check(z.refine(isPattern));

/** The part of JSON Schema's meta-schema (draft 2020-12) that tools use. */
const Schema = z.looseObject({
  type: z.optional(z.union([types, z.array(types).check(z.minLength(1))])),
  properties: schemas,
  patternProperties: schemas,
  $defs: schemas,
  definitions: schemas,
  additionalProperties: z.optional(anySchema),
  propertyNames: z.optional(anySchema),
  required: z.optional(z.array(z.string()).check(z.refine((names) => new Set(names).size === names.length))),
  items: z.optional(anySchema),
  prefixItems: someSchemas,
  anyOf: someSchemas,
  allOf: someSchemas,
  oneOf: someSchemas,
  not: z.optional(anySchema),
  enum: z.optional(z.array(z.unknown())),
  pattern: z.optional(pattern),
  description: z.optional(z.string()),
  title: z.optional(z.string()),
  $ref: z.optional(z.string()),
  minLength: natural,
  maxLength: natural,
  minItems: natural,
  maxItems: natural,
  minimum: z.optional(z.number()),
  maximum: z.optional(z.number()),
  // Booleans here are draft 4.
  exclusiveMinimum: z.optional(z.number()),
  exclusiveMaximum: z.optional(z.number()),
  multipleOf: z.optional(z.number().check(z.positive())),
  uniqueItems: z.optional(z.boolean()),
});

/** Why the API would refuse a tool, or `undefined`. Server tools are not looked into. */
export function toolProblem(tool: Tool, index: number): string | undefined {
  if (tool.type !== undefined && tool.type !== null && tool.type !== 'custom') return undefined;
  const at = `tools.${index}.custom`;
  if (tool.name === undefined || tool.name === null) return `${at}.name: Field required`;
  if (!TOOL_NAME.test(tool.name)) return `${at}.name: String should match pattern '${TOOL_NAME.source}'`;
  const schema = tool.input_schema;
  if (schema === undefined || schema === null) return `${at}.input_schema: Field required`;
  const { type, properties } = schema;
  if (type === undefined) return `${at}.input_schema.type: Field required`;
  if (type !== 'object') return `${at}.input_schema.type: Input should be 'object'`;
  for (const word of ['oneOf', 'allOf', 'anyOf']) {
    if (word in schema)
      return `${at}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`;
  }
  if (!Schema.safeParse(schema).success) {
    return `${at}.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12).`;
  }
  const bad = Object.keys(properties ?? {}).find((name) => !PROPERTY_NAME.test(name));
  return bad === undefined
    ? undefined
    : `${at}.input_schema.properties: Property keys should match pattern '${PROPERTY_NAME.source}'`;
}

function isPattern(source: string): boolean {
  try {
    new RegExp(source, 'u');
    return true;
  } catch {
    return false;
  }
}
