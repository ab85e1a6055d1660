import { expect, it } from 'vitest';
import { parseJsonSchema } from '../../src/headless/jsonSchema.js';

const parse = (schema: object) => parseJsonSchema(JSON.stringify({ type: 'object', ...schema }), 'a.json');

it.each([
  [undefined, '$defs'],
  ['https://json-schema.org/draft/2020-12/schema', '$defs'],
  ['https://json-schema.org/draft/2019-09/schema', '$defs'],
  ['http://json-schema.org/draft-07/schema#', 'definitions'],
  ['http://json-schema.org/draft-06/schema', 'definitions'],
])('takes a schema of the draft %s, and what it refers to in itself', async ($schema, place) => {
  const { problemsOf } = await parse({
    ...($schema !== undefined && { $schema }),
    properties: { a: { $ref: `#/${place}/large` } },
    [place]: { large: { type: 'integer', exclusiveMinimum: 3 } },
  });
  expect([problemsOf({ a: 4 }), problemsOf({ a: 3 })]).toEqual([[], ['/a must be > 3']]);
});

it('says what of a schema is not known, or leads nowhere', async () => {
  const known = 'draft-06, draft-07, 2019-09 and 2020-12 are.';
  for (const $schema of ['http://json-schema.org/draft-04/schema#', 7])
    await expect(parse({ $schema })).rejects.toThrow(
      `a.json names the "$schema" ${JSON.stringify($schema)}, which is not known here: ${known}`,
    );
  for (const $ref of ['#/definitions/none', 'http://example.com/x.json'])
    await expect(parse({ properties: { a: { $ref } } })).rejects.toThrow(
      `a.json is no JSON schema: can't resolve reference ${$ref}`,
    );
});
