import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addTemplate, heardBy, runJson } from '../helpers/headless.js';
import { stage } from '../helpers/program.js';
import { resultsOf } from '../helpers/requests.js';

const touch = (file: string) => `{ tool: Bash, input: { command: touch ${file} } }`;

const SCRIPT = `
agents:
  team-lead:
    - when: { turn: 1 }
      reply:
        - ${touch('by-lead')}
        - { tool: Agent, input: { description: Touch, prompt: Touch a file., subagent_type: general-purpose } }
    - reply: Nothing could be done.
  'team-lead/*':
    - when: { turn: 1 }
      reply: [${touch('by-sub-agent')}]
    - reply: I could not.
  bob:
    - when: { turn: 1 }
      reply: [${touch('by-bob')}]
    - reply: Bob could not.
`;

test.each(['in-process', 'tmux'])(
  'a call that no rule settles is denied at once to lead, teammate and sub-agent, with a reason that each reads, and listed by member (%s)',
  async (backend) => {
    await using team = await stage(SCRIPT);
    await addTemplate(
      team,
      'pair',
      '---\nname: pair\ndescription: x\nmembers: [{ name: bob, prompt: Touch. }]\n---\nGo.\n',
    );
    const { result, exitCode, stderr } = await runJson(team, 'pair', '--backend', backend);
    expect(exitCode, stderr).toBe(0);
    const denied = result.permission_denials.map(({ tool_use_id: _, ...denial }) => denial);
    const wanted = [
      { file: 'by-bob', member: 'bob' },
      { file: 'by-lead', member: 'team-lead' },
      { file: 'by-sub-agent', member: 'team-lead' },
    ].map(({ file, member }) => ({ tool_name: 'Bash', tool_input: { command: `touch ${file}` }, member }));
    expect(denied.sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))).toEqual(wanted);
    for (const { tool_use_id } of result.permission_denials) expect(tool_use_id).toMatch(/^toolu_/);
    for (const agent of ['team-lead', 'team-lead/', 'bob']) {
      const denial = heardBy(team, agent).find((request) => request.includes('Nobody can be asked in this run'));
      expect(denial, agent).toContain('"is_error":true');
    }
    for (const file of ['by-lead', 'by-sub-agent', 'by-bob']) expect(existsSync(join(team.folder, file))).toBe(false);
  },
);

test('a call that a rule or a mode forbids is among the denials too', async () => {
  await using alone = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [${touch('by-lead')}]
    - reply: Nothing could be done.
`);
  const args = ['Touch a file.', '--permission-mode', 'bypassPermissions', '--disallowed-tools', 'Bash(touch *)'];
  const byRule = await runJson(alone, ...args);
  expect(byRule.result.permission_denials).toMatchObject([
    { tool_name: 'Bash', tool_input: { command: 'touch by-lead' } },
  ]);
});

test.each(['bypassPermissions', 'default'])(
  'what a rule keeps from being read, a search does not show either: no line, no name (mode %s)',
  async (mode) => {
    await using alone = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply:
        - { tool: Grep, input: { pattern: needle, output_mode: content } }
        - { tool: Glob, input: { pattern: 'src/*' } }
    - reply: Done.
`);
    await mkdir(join(alone.folder, 'src'));
    for (const name of ['open', 'secret']) await writeFile(join(alone.folder, 'src', name), `needle of ${name}\n`);
    await runJson(alone, 'Look.', '--permission-mode', mode, '--disallowed-tools', 'Read(src/secret)');
    const results = resultsOf(alone, 'team-lead').map((content) => JSON.stringify(content));
    expect(results).toEqual([expect.stringContaining('needle of open'), expect.stringContaining('src/open')]);
    expect(results.join()).not.toContain('secret');
  },
);
