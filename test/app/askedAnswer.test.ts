import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { askedAnswer } from '../../src/app/run/askedAnswer.js';
import { tempDir } from '../helpers/tempDir.js';
import { toolContext } from '../tools/context.js';

async function asked(schema: object) {
  await using dir = await tempDir();
  const file = join(dir.path, 'a.json');
  await writeFile(file, JSON.stringify(schema));
  return await askedAnswer(file);
}

test('the model is shown a schema as the API takes it, and its answer must fit the one that was given', async () => {
  const pair = { type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false };
  const $schema = 'http://json-schema.org/draft-07/schema#';
  const oneOf = [{ required: ['pair'] }, { required: ['none'] }];
  const { tool, answer } = await asked({ $schema, type: 'object', properties: { pair }, oneOf });
  expect(tool.schema.input_schema).toEqual({
    type: 'object',
    properties: { pair: { type: 'array', prefixItems: pair.items, items: false } },
  });
  for (const wrong of [{}, { pair: ['a', 'b'] }, { pair: ['a', 1, 2] }])
    expect(() => tool.prepare(wrong, toolContext('/'))).toThrow('The answer does not fit its schema');
  await tool.prepare({ pair: ['a', 1] }, toolContext('/')).run();
  expect(answer.given()).toEqual({ value: { pair: ['a', 1] } });
});

test('a schema that the API would refuse however it is written is refused before anything starts', async () => {
  await expect(asked({ type: 'object', properties: { 'a b': {} } })).rejects.toThrow(
    /a\.json is a schema that no model can be asked for: input_schema\.properties: Property keys/,
  );
});
