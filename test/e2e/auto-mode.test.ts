import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addTemplate, heardBy, runJson } from '../helpers/headless.js';
import { stage } from '../helpers/program.js';

const touch = (file: string) =>
  `{ tool: Bash, input: { command: "node -e 'fs.writeFileSync(\\"${file}\\", \\"\\")'" } }`;

test.each(['in-process', 'tmux'])(
  'in mode auto a small model decides for lead, sub-agent and teammate (%s)',
  async (backend) => {
    await using team = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply:
        - ${touch('by-lead')}
        - { tool: Agent, input: { description: Touch, prompt: Touch a file., subagent_type: general-purpose } }
    - reply: Done.
  'team-lead/*':
    - when: { system: 'hands its work back' }
      reply: '{"block": true, "reason": "It smells."}'
    - when: { system: 'is to be blocked', user: 'forbidden' }
      reply: '{"block": true, "reason": "That name is forbidden."}'
    - when: { system: 'is to be blocked' }
      reply: '{"block": false, "reason": "Harmless."}'
    - when: { turn: 1 }
      reply: [${touch('forbidden-by-sub')}]
    - reply: I could not.
  'bob/*':
    - reply: '{"block": false, "reason": "Harmless."}'
  bob:
    - when: { turn: 1 }
      reply: [${touch('by-bob')}]
    - reply: Bob is done.
`);
    await addTemplate(
      team,
      'pair',
      '---\nname: pair\ndescription: x\nmembers: [{ name: bob, prompt: Touch. }]\n---\nGo.\n',
    );
    await writeFile(
      join(team.home, 'settings.json'),
      JSON.stringify({ autoMode: { rules: ['Files called forbidden are.'] } }),
    );
    const { result, exitCode, stderr } = await runJson(team, 'pair', '--backend', backend, '--permission-mode', 'auto');
    expect(exitCode, stderr).toBe(0);
    expect(['by-lead', 'by-bob', 'forbidden-by-sub'].map((file) => existsSync(join(team.folder, file)))).toEqual([
      true,
      true,
      false,
    ]);
    expect(result.permission_denials).toHaveLength(1);
    expect(heardBy(team, 'team-lead/classifier')[0]).toContain('Files called forbidden are.');
    expect(heardBy(team, 'team-lead').some((request) => request.includes('SECURITY WARNING'))).toBe(true);
  },
);

test('three denials in a row end a lead that nobody watches, and the run is refused', async () => {
  await using team = await stage(`
agents:
  team-lead:
    - reply: [${touch('a')}]
  'team-lead/*':
    - reply: '{"block": true, "reason": "Never."}'
`);
  const { result, exitCode } = await runJson(team, 'Touch.', '--permission-mode', 'auto');
  expect(exitCode).toBe(5);
  expect(result.errors?.join()).toContain('3 calls in a row denied and nobody is there to be asked');
  expect(result.permission_denials).toHaveLength(3);
});

test('without a classifier a call is denied to a run that has nobody to ask, and the model reads why', async () => {
  await using team = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [${touch('a')}]
    - reply: I could not.
  'team-lead/*':
    - reply: I do not know.
`);
  const { result, exitCode } = await runJson(team, 'Touch.', '--permission-mode', 'auto');
  expect(exitCode).toBe(0);
  expect(result.permission_denials).toHaveLength(1);
  expect(heardBy(team, 'team-lead').join()).toContain(
    'the classifier of mode auto did not answer: its answer could not be read',
  );
  expect(existsSync(join(team.folder, 'a'))).toBe(false);
});
