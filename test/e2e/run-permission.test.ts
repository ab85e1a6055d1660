import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addTemplate, heardBy, runJson } from '../helpers/headless.js';
import { stage } from '../helpers/program.js';

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
  'a call that no rule settles is denied at once to lead, teammate and sub-agent, with a reason that each reads (%s)',
  async (backend) => {
    await using team = await stage(SCRIPT);
    await addTemplate(
      team,
      'pair',
      '---\nname: pair\ndescription: x\nmembers: [{ name: bob, prompt: Touch. }]\n---\nGo.\n',
    );
    const { result, exitCode, stderr } = await runJson(team, 'pair', '--backend', backend);
    expect(exitCode, stderr).toBe(0);
    const denied = result.permission_denials.map(({ tool_name, tool_input }) => ({ tool_name, tool_input }));
    const wanted = ['by-bob', 'by-lead', 'by-sub-agent'].map((file) => ({
      tool_name: 'Bash',
      tool_input: { command: `touch ${file}` },
    }));
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
