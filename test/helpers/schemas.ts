import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import * as z from 'zod/mini';
import { RunResult } from '../../src/headless/result.js';
import { StreamLine } from '../../src/headless/stream.js';

const SCHEMAS = {
  result: { title: 'The result of troupe run --output-format json', of: RunResult },
  stream: { title: 'A line of troupe run --output-format stream-json; the last one is the result', of: StreamLine },
} as const;
export type SchemaName = keyof typeof SCHEMAS;

/** Where the published schema lies. */
export function pathOf(name: SchemaName): string {
  return fileURLToPath(new URL(`../../schemas/${name}.schema.json`, import.meta.url));
}

/** What is published: a later version may have more fields, so others are no error. */
export function publishedSchema(name: SchemaName): object {
  const { title, of } = SCHEMAS[name];
  const { $schema, ...schema } = z.toJSONSchema(of, {
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  return { $schema, title, ...schema };
}

/** Checks values against the schema that ships with the package. */
export async function checkerOf(name: SchemaName): Promise<(value: unknown) => void> {
  const validate = new Ajv2020({ allErrors: true }).compile(JSON.parse(await readFile(pathOf(name), 'utf8')));
  return (value) => {
    const fits = validate(value);
    expect({ fits, errors: validate.errors }, JSON.stringify(value)).toEqual({ fits: true, errors: null });
  };
}
