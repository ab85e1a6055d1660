import { expect, it } from 'vitest';
import * as z from 'zod/mini';
import { defineTool } from '../../src/agent/tool.js';
import { ToolError } from '../../src/util/errors.js';
import { toolContext } from '../tools/context.js';

const greet = defineTool({
  name: 'Greet',
  description: 'Greets.',
  input: z.object({ name: z.string(), times: z._default(z.int(), 1), tone: z.optional(z.enum(['warm', 'cold'])) }),
  isReadOnly: true,
  access: ({ name }) => ({ kind: 'other', specifier: name }),
  call: async ({ name, times }) => `hello ${name}`.repeat(times),
});

it('shows the model a schema in which defaulted fields are optional, without bounds that say nothing', () => {
  expect(greet.schema).toEqual({
    name: 'Greet',
    description: 'Greets.',
    input_schema: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        times: { type: 'integer', default: 1 },
        tone: { type: 'string', enum: ['warm', 'cold'] },
      },
      required: ['name'],
    },
  });
});

it('checks the input once and binds it to what is judged and what is run', async () => {
  const call = greet.prepare({ name: 'bob' }, toolContext('/'));
  expect(call.access).toEqual({ kind: 'other', specifier: 'bob' });
  expect(await call.run()).toEqual({ content: 'hello bob' });
});

it('lists everything that is wrong and what would be right, for the model to mend', () => {
  const wrong = () => greet.prepare({ nam: 'bob', tone: 'loud' }, toolContext('/'));
  expect(wrong).toThrow(ToolError);
  expect(wrong).toThrow(
    [
      'The input does not fit Greet:',
      '- nam: there is no such field. Did you mean "name"?',
      '- name: Invalid input: expected string, received undefined',
      '- tone: Invalid option: expected one of "warm"|"cold"',
      'Greet takes name (string), times? (integer), tone? (string).',
    ].join('\n'),
  );
  for (const raw of [null, 'x', [], undefined])
    expect(() => greet.prepare(raw, toolContext('/'))).toThrow(/- input: Invalid input/);
});

it('lets a schema that takes any other field do so', () => {
  const open = defineTool({
    name: 'Open',
    description: '',
    input: z.looseObject({ a: z.string() }),
    isReadOnly: false,
    access: () => ({ kind: 'none' }),
    call: async (input) => JSON.stringify(input),
  });
  expect(() => open.prepare({ a: 'x', b: 1 }, toolContext('/'))).not.toThrow();
  expect([open.isReadOnly, open.isConcurrent, open.isCoordination]).toEqual([false, false, false]);
});
