import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { initRepo } from '../helpers/gitRepo.js';
import { addTemplate, runJson } from '../helpers/headless.js';
import { stage } from '../helpers/program.js';
import { BACKENDS } from '../helpers/puppets.js';
import { requestsOf, resultsOf } from '../helpers/requests.js';

const looks = (agent: string) => `
  ${agent}:
    - when: { turn: 1 }
      reply: [{ tool: Bash, input: { command: pwd } }]
    - reply: Done.`;
const TEAM = (cwd: string) => `---
name: two
description: x
members:
  - { name: bob, prompt: Look. }
  - { name: eve, cwd: ${cwd}, prompt: Look. }
---
Go.
`;

test.each(BACKENDS)(
  'members work where their team does or where they are told to, and nothing is kept but in the home that is said (%s)',
  async (backend) => {
    await using team = await stage(`agents:${['team-lead', 'bob', 'eve'].map(looks).join('')}`);
    const repo = join(team.folder, 'project');
    await initRepo(repo);
    await mkdir(join(repo, 'sub'));
    // What a program would fall into that forgot the variable, with a team of that very name in it.
    const decoy = join(team.env['HOME'] ?? '', '.troupe');
    await mkdir(join(decoy, 'teams', 'red'), { recursive: true });
    await writeFile(join(decoy, 'teams', 'red', 'config.json'), '{}');
    const before = await readdir(decoy, { recursive: true });
    await addTemplate(team, 'two', TEAM('sub'));
    const here = { troupe: (args: readonly string[]) => team.troupe(args, { cwd: repo, timeout: 100_000 }) };
    const { exitCode, stderr } = await runJson(here, 'two', '--name', 'red', '--backend', backend);
    expect(exitCode, stderr).toBe(0);
    const folders = ['team-lead', 'bob', 'eve'].map((agent) => resultsOf(team, agent));
    expect(folders).toEqual([[repo], [repo], [join(repo, 'sub')]]);
    expect(await readdir(decoy, { recursive: true })).toEqual(before);
  },
);

test.each(BACKENDS)('a member’s folder that is not there is refused before anybody works (%s)', async (backend) => {
  await using team = await stage(`agents:${['team-lead', 'bob', 'eve'].map(looks).join('')}`);
  await addTemplate(team, 'two', TEAM('nowhere'));
  const { exitCode, stderr } = await team.troupe(['run', 'two', '--backend', backend], { timeout: 100_000 });
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain(join(team.folder, 'nowhere'));
  expect(requestsOf(team, 'eve')).toEqual([]);
});
