import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { heardBy, runJson } from '../helpers/headless.js';
import { stage } from '../helpers/program.js';

const SCRIPT = `
agents:
  team-lead:
    - when: { turn: 1 }
      reply:
        - { tool: Agent, input: { description: Part one, prompt: 'Write one.', subagent_type: worker } }
        - { tool: Agent, input: { description: Part two, prompt: 'Write two.' } }
    - when: { seen: ['one is written', 'two is written'] }
      reply: Both parts are done.
    - reply: I wait.
  'team-lead/*':
    - when: { turn: 1 }
      capture: { part: { from: user, match: 'Write (\\w+)\\.' } }
      reply: [{ tool: Write, input: { file_path: "{{part}}.txt", content: "{{part}}" } }]
    - reply: '{{part}} is written.'
`;

test('a coordinator starts workers in the background, reads their notices and puts them together', async () => {
  await using team = await stage(SCRIPT);
  team.env['TROUPE_COORDINATOR_MODE'] = '1';
  const { result, exitCode, stderr } = await runJson(team, 'Write both.', '--permission-mode', 'acceptEdits');
  expect(exitCode, stderr).toBe(0);
  expect(result.result).toBe('Both parts are done.');
  const texts = await Promise.all(['one', 'two'].map((part) => readFile(join(team.folder, `${part}.txt`), 'utf8')));
  expect(texts).toEqual(['one', 'two']);

  const lead = team.server.log().filter(({ userId }) => userId.endsWith(':team-lead'));
  const [first, second] = lead.map(({ body }) => JSON.stringify(body));
  expect(first).toContain('You coordinate a piece of work');
  expect(first).toContain('- worker: ');
  expect(first).not.toContain('- general-purpose: ');
  expect(second?.match(/async_launched/g)).toHaveLength(2);
  expect(heardBy(team, 'team-lead').at(-1)).toContain('<task-notification>');
  const worker = team.server.log().find(({ userId }) => userId.includes('team-lead/agent-'));
  const { tools } = z.looseObject({ tools: z.array(z.looseObject({ name: z.string() })) }).parse(worker?.body);
  const offered = tools.map(({ name }) => name);
  expect(offered).toEqual(expect.arrayContaining(['Bash', 'Edit', 'TaskCreate', 'Write']));
  expect(JSON.stringify(worker?.body)).not.toContain('You coordinate a piece of work');
});

test('without the variable the lead works itself, and its calls wait', async () => {
  await using team = await stage(SCRIPT.replace('subagent_type: worker', 'subagent_type: general-purpose'));
  const { exitCode } = await runJson(team, 'Write both.', '--permission-mode', 'acceptEdits');
  expect(exitCode).toBe(0);
  const lead = heardBy(team, 'team-lead').join();
  expect(lead).not.toContain('You coordinate a piece of work');
  expect(lead).not.toContain('async_launched');
});
