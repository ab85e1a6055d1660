import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { addTemplate, heardBy, runJson } from '../helpers/headless.js';
import { listing } from '../helpers/listing.js';
import { stage } from '../helpers/program.js';

const SAYS = 'agents: { "*": [{ reply: Noted. }] }';
const Request = z.looseObject({
  model: z.string(),
  system: z.array(z.looseObject({ text: z.string() })),
  tools: z.array(z.looseObject({ name: z.string() })),
  output_config: z.optional(z.looseObject({ effort: z.optional(z.string()) })),
});

async function firstRequest(...args: string[]) {
  await using alone = await stage(SAYS);
  const { result, exitCode, stderr } = await runJson(alone, 'Hello.', ...args);
  expect(exitCode, stderr).toBe(0);
  const [first] = alone.server.log();
  const { model, system, tools, output_config } = Request.parse(first?.body);
  return {
    result,
    model,
    effort: output_config?.effort,
    system: system.map(({ text }) => text).join('\n'),
    tools: tools.map(({ name }) => name),
  };
}

test.concurrent('--model, --effort, --system-prompt and --append-system-prompt reach the request to the model', async () => {
  const plain = await firstRequest();
  const given = await firstRequest(
    '--model',
    'opus',
    '--effort',
    'low',
    '--system-prompt',
    'You are a poet.',
    '--append-system-prompt',
    'Rhyme.',
  );
  expect(given.model).toContain('opus');
  expect(given.model).not.toBe(plain.model);
  expect(Object.keys(given.result.modelUsage)).toEqual([given.model]);
  expect(given.effort).toBe('low');
  expect(given.system).toMatch(/^You are a poet\.[\s\S]*Rhyme\./);
  expect(plain.system).not.toContain('poet');
  expect(given.system.slice(0, 15)).not.toBe(plain.system.slice(0, 15));
});

test.concurrent('--append-system-prompt alone goes behind the default system prompt, for every member', async () => {
  await using team = await stage(SAYS);
  await addTemplate(
    team,
    'pair',
    '---\nname: pair\ndescription: x\nmembers: [{ name: bob, prompt: Look. }]\n---\nGo.\n',
  );
  await runJson(team, 'pair', '--append-system-prompt', 'Rhyme.');
  for (const agent of ['team-lead', 'bob']) expect(heardBy(team, agent)[0]).toMatch(/"system":.*Rhyme\./);
});

test.concurrent('--agents gives members to be had, with their prompt', async () => {
  await using team = await stage(SAYS);
  await addTemplate(
    team,
    'pair',
    '---\nname: pair\ndescription: x\nmembers: [{ name: bob, agent: poet, prompt: Go. }]\n---\nGo.\n',
  );
  const agents = { poet: { description: 'Writes.', prompt: 'You write poems.' } };
  const inline = await runJson(team, 'pair', '--agents', JSON.stringify(agents));
  expect(inline.exitCode, inline.stderr).toBe(0);
  await writeFile(join(team.folder, 'agents.json'), JSON.stringify(agents));
  const fromFile = await runJson(team, 'pair', '--agents', 'agents.json');
  expect(fromFile.exitCode, fromFile.stderr).toBe(0);
  expect(heardBy(team, 'bob').map((request) => request.includes('You write poems.'))).toEqual([true, true]);
});

const TOUCH =
  'agents: { "*": [{ when: { turn: 1 }, reply: [{ tool: Bash, input: { command: touch made } }] }, { reply: Noted. }] }';

test.concurrent.each([
  { args: [], runs: false },
  { args: ['--allowed-tools', 'Bash(touch *)'], runs: true },
  { args: ['--allowed-tools', 'Read,Bash(touch *),Edit'], runs: true },
  { args: ['--allowed-tools', 'Bash(ls *)'], runs: false },
  { args: ['--permission-mode', 'bypassPermissions'], runs: true },
  { args: ['--permission-mode', 'plan'], runs: false },
  { args: ['--permission-mode', 'bypassPermissions', '--disallowed-tools', 'Bash(touch *)'], runs: false },
  { args: ['--settings', '{"permissions":{"allow":["Bash(touch *)"]}}'], runs: true },
])('a call of Bash runs ($runs) with $args', async ({ args, runs }) => {
  await using alone = await stage(TOUCH);
  const { result } = await runJson(alone, 'Touch.', ...args);
  const made = await readFile(join(alone.folder, 'made'), 'utf8').then(
    () => true,
    () => false,
  );
  expect({ made, denials: result.permission_denials.length }).toEqual({ made: runs, denials: runs ? 0 : 1 });
});

test.concurrent.each([
  { how: 'alone', args: [], input: 'Piped words.', heard: 'Piped words.' },
  { how: 'behind a template', args: ['solo'], input: 'Piped words.', heard: 'The task: Piped words.' },
])('a prompt may come on stdin, $how', async ({ args, input, heard }) => {
  await using alone = await stage(SAYS);
  await addTemplate(alone, 'solo', '---\nname: solo\ndescription: x\n---\nThe task: {{prompt}}\n');
  const ended = await alone.troupe(['run', ...args], { input });
  expect({ exitCode: ended.exitCode, stdout: ended.stdout }).toEqual({ exitCode: 0, stdout: 'Noted.' });
  expect(heardBy(alone, 'team-lead')[0]).toContain(`"text":"${heard}"`);
});

test.concurrent.each([
  ['run', 'feature', 'Add a flag', '--dry-run'],
  ['run', 'feature', 'Add a flag', '--dry-run', '--output-format', 'json'],
  ['up', 'feature', 'Add a flag', '--dry-run', '--detach'],
  ['up', 'feature', 'Add a flag', '--dry-run'],
  ['up', 'feature', 'Add a flag', '--dry-run', '--detach', '--json'],
])('troupe %s %s %s %s prints what would start, and starts nothing', async (...args) => {
  await using idle = await stage(SAYS);
  const before = await listing(idle.folder);
  const { exitCode, stdout, stderr } = await idle.troupe(args);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  for (const name of ['planner', 'implementer', 'reviewer']) expect(stdout).toContain(name);
  expect(stdout).not.toContain('test-key');
  expect(await listing(idle.folder)).toEqual(before);
  expect(idle.server.log()).toEqual([]);
});
