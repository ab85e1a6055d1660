import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addTemplate, heardBy, runJson } from '../helpers/headless.js';
import { type Stage, stage } from '../helpers/program.js';

const bash = (command: string) => `{ tool: Bash, input: { command: ${JSON.stringify(command)} } }`;
const RULE = ['--allowed-tools', 'Bash(npm test *)'];

/** A project whose tests leave a file that says who ran them. */
async function addProject({ folder }: Pick<Stage, 'folder'>): Promise<void> {
  const scripts = { test: 'node test.js' };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'x', version: '1.0.0', scripts }));
  await writeFile(join(folder, 'test.js'), "require('node:fs').writeFileSync(process.argv[2] + '-tested', '');\n");
}

test.each(['in-process', 'tmux'])(
  'each command of a compound is judged by itself, for the lead and for a teammate (%s)',
  async (backend) => {
    const calls = (who: string) => `
    - when: { turn: 1 }
      reply:
        - ${bash(`cd . && npm test -- ${who} 2>&1 | grep -c test; ls > /dev/null`)}
        - ${bash(`npm test -- evil-${who} && touch by-${who}`)}
        - ${bash(`npm test -- "$(touch by-${who})"`)}
    - reply: Done.`;
    await using team = await stage(`agents:\n  team-lead:${calls('lead')}\n  bob:${calls('bob')}\n`);
    await addProject(team);
    const template = '---\nname: pair\ndescription: x\nmembers: [{ name: bob, prompt: Test. }]\n---\nGo.\n';
    await addTemplate(team, 'pair', template);

    const { result, exitCode, stderr } = await runJson(team, 'pair', '--backend', backend, ...RULE);
    expect(exitCode, stderr).toBe(0);
    const denied = result.permission_denials.map(({ tool_input }) => tool_input);
    const wanted = ['bob', 'lead'].flatMap((who) => [
      { command: `npm test -- "$(touch by-${who})"` },
      { command: `npm test -- evil-${who} && touch by-${who}` },
    ]);
    expect(new Set(denied.map((input) => JSON.stringify(input)))).toEqual(
      new Set(wanted.map((input) => JSON.stringify(input))),
    );
    expect(denied).toHaveLength(wanted.length);
    for (const who of ['lead', 'bob']) {
      expect(existsSync(join(team.folder, `${who}-tested`)), who).toBe(true);
      expect(existsSync(join(team.folder, `by-${who}`)), who).toBe(false);
      expect(existsSync(join(team.folder, `evil-${who}-tested`)), who).toBe(false);
    }
    expect(heardBy(team, 'bob').join('\n')).toContain('Nobody can be asked in this run');
  },
);

test('a member in plan mode may join commands that only read, and no others', async () => {
  await using alone = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply:
        - ${bash('echo found-it > /dev/null; cat test.js | grep -c writeFileSync && ls test.js package.json')}
        - ${bash('ls > out')}
    - reply: Looked.
`);
  await addProject(alone);
  const { result } = await runJson(alone, 'Look.', '--permission-mode', 'plan');
  expect(result.permission_denials.map(({ tool_input }) => tool_input)).toEqual([{ command: 'ls > out' }]);
  expect(heardBy(alone, 'team-lead').join('\n')).toContain('1\\npackage.json\\ntest.js');
});

test('a run in which many files are read at once warns of no leak', async () => {
  const reads = Array.from({ length: 14 }, () => '{ tool: Read, input: { file_path: package.json } }');
  const script = `agents: { team-lead: [{ when: { turn: 1 }, reply: [${reads.join(', ')}] }, { reply: Done. }] }`;
  await using team = await stage(script);
  await addProject(team);
  const { result, stderr } = await runJson(team, 'Read.');
  expect(result).toMatchObject({ subtype: 'success', num_turns: 2 });
  expect(stderr).not.toMatch(/warning/i);
});
