import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addTemplate, heardBy, runJson } from '../helpers/headless.js';
import { stage } from '../helpers/program.js';
import { checkerOf } from '../helpers/schemas.js';

const checkResult = await checkerOf('result');

const SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: { verdict: { enum: ['good', 'bad'] }, findings: { type: 'array', items: { $ref: '#/$defs/finding' } } },
  required: ['verdict'],
  additionalProperties: false,
  $defs: { finding: { type: 'object', properties: { line: { type: 'integer' } }, required: ['line'] } },
};

async function asking(lead: string, schema: unknown = SCHEMA) {
  const team = await stage(`agents:\n  team-lead: ${lead}\n  '*': [{ reply: Seen. }]\n`);
  await writeFile(join(team.folder, 'answer.json'), typeof schema === 'string' ? schema : JSON.stringify(schema));
  return team;
}

const gives = (input: object) => `{ tool: StructuredOutput, input: ${JSON.stringify(input)} }`;
const GOOD = { verdict: 'good', findings: [{ line: 3 }] };

test('an answer that fits is in structured_output, and is what text prints', async () => {
  await using team = await asking(
    `[{ when: { tool: StructuredOutput }, reply: That is it. }, { reply: [${gives(GOOD)}] }]`,
  );
  const { exitCode, result, stderr } = await runJson(team, 'Look.', '--json-schema', 'answer.json');
  expect(exitCode, stderr).toBe(0);
  checkResult(result);
  expect(result).toMatchObject({ subtype: 'success', result: 'That is it.', structured_output: GOOD });
  const [first = ''] = heardBy(team, 'team-lead');
  expect(first).toContain('"name":"StructuredOutput"');
  expect(first).toContain(JSON.stringify(SCHEMA.properties));
  const text = await team.troupe(['run', 'Look.', '--json-schema', 'answer.json']);
  expect(JSON.parse(text.stdout)).toEqual(GOOD);
});

test('an answer that does not fit is asked for again, with what was wrong', async () => {
  const lead = `
    - { when: { result: '/verdict must be' }, reply: [${gives(GOOD)}] }
    - { when: { tool: StructuredOutput }, reply: That is it. }
    - { reply: [${gives({ verdict: 'fair', findings: [{ line: 'x' }], more: 1 })}] }`;
  await using team = await asking(lead);
  const { exitCode, result } = await runJson(team, 'Look.', '--json-schema', 'answer.json');
  expect({ exitCode, answer: result.structured_output }).toEqual({ exitCode: 0, answer: GOOD });
  const told = heardBy(team, 'team-lead')[1] ?? '';
  expect(told).toContain(String.raw`/verdict must be equal to one of the allowed values: \"good\", \"bad\"`);
  expect(told).toContain('/findings/0/line must be integer');
  expect(told).toContain('must NOT have additional properties');
});

test('a lead that ends without it is reminded once a try, and after three the run has failed', async () => {
  await using team = await asking('[{ reply: It is good. }]');
  const { exitCode, result } = await runJson(team, 'Look.', '--json-schema', 'answer.json');
  expect(exitCode).toBe(1);
  expect(result).toMatchObject({
    subtype: 'error_max_structured_output_retries',
    result: 'It is good.',
    errors: [expect.stringMatching(/No answer of 4 fitted.*ended its turn without it/)],
  });
  expect(result).not.toHaveProperty('structured_output');
  const reminders = heardBy(team, 'team-lead').map((text) => text.split('The answer is still missing').length - 1);
  expect(reminders).toEqual([0, 1, 2, 3]);
});

test('a lead that never gets it right has failed after the first try and three more', async () => {
  await using team = await asking(`[{ reply: [{ text: Here. }, ${gives({ verdict: 'fair' })}] }]`);
  const { exitCode, result } = await runJson(team, 'Look.', '--json-schema', 'answer.json');
  expect(exitCode).toBe(1);
  expect(result).toMatchObject({
    subtype: 'error_max_structured_output_retries',
    errors: [expect.stringMatching(/No answer of 4 fitted.*\/verdict must be/)],
  });
  expect(heardBy(team, 'team-lead')).toHaveLength(4);
});

test('only the lead has the tool: no teammate and no sub-agent', async () => {
  const agent = '{ tool: Agent, input: { description: Look, prompt: Look., subagent_type: general-purpose } }';
  await using team = await asking(
    `[{ when: { turn: 1 }, reply: [${agent}] }, { when: { tool: StructuredOutput }, reply: That is it. }, { reply: [${gives(GOOD)}] }]`,
  );
  await addTemplate(
    team,
    'pair',
    '---\nname: pair\ndescription: x\nmembers: [{ name: bob, prompt: Look. }]\n---\nGo.\n',
  );
  const { exitCode } = await runJson(team, 'pair', '--json-schema', 'answer.json');
  expect(exitCode).toBe(0);
  for (const agents of ['bob', 'team-lead/']) {
    expect(heardBy(team, agents)).not.toEqual([]);
    for (const request of heardBy(team, agents)) expect(request).not.toContain('"name":"StructuredOutput"');
  }
});

test.each([
  { what: 'no file', file: 'nowhere.json', schema: SCHEMA, says: /--json-schema cannot be read: .*nowhere\.json/ },
  { what: 'no JSON', file: 'answer.json', schema: '{ "type": ', says: /answer\.json is not JSON/ },
  { what: 'no object', file: 'answer.json', schema: { type: 'array' }, says: /must be a JSON schema of an object/ },
  {
    what: 'a type that there is not',
    file: 'answer.json',
    schema: { type: 'object', properties: { age: { type: 'nummer' } } },
    says: /answer\.json is no JSON schema: \/properties\/age\/type must be/,
  },
  {
    what: 'a reference to nothing',
    file: 'answer.json',
    schema: { type: 'object', properties: { age: { $ref: '#/$defs/age' } } },
    says: /answer\.json is no JSON schema: .*#\/\$defs\/age/,
  },
])('a schema that is none is refused before anything starts: $what', async ({ file, schema, says }) => {
  await using team = await asking('[{ reply: never }]', schema);
  const { exitCode, result } = await runJson(team, 'Look.', '--json-schema', file);
  expect({ exitCode, asked: team.server.log() }).toEqual({ exitCode: 2, asked: [] });
  expect(result.errors?.[0]).toMatch(says);
});

test('a schema of draft 7 is read as one', async () => {
  const old = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    definitions: { n: { type: 'integer' } },
    properties: { n: { $ref: '#/definitions/n' } },
  };
  await using team = await asking(
    `[{ when: { tool: StructuredOutput }, reply: Ok. }, { reply: [${gives({ n: 1 })}] }]`,
    old,
  );
  const { exitCode, result } = await runJson(team, 'Look.', '--json-schema', 'answer.json');
  expect({ exitCode, answer: result.structured_output }).toEqual({ exitCode: 0, answer: { n: 1 } });
});
