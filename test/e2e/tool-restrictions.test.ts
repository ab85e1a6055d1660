import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { initRepo } from '../helpers/gitRepo.js';
import { addTemplate, runJson } from '../helpers/headless.js';
import { type Stage, stage } from '../helpers/program.js';
import { BACKENDS } from '../helpers/puppets.js';
import { requestsOf, resultsOf } from '../helpers/requests.js';

const AGENTS = {
  reader: 'tools: Read, Agent',
  ungit: 'disallowedTools: Bash(git *)',
};
const TEAM = `---
name: two
description: x
members: [{ name: bob, agent: reader, prompt: Go. }, { name: eve, agent: ungit, prompt: Go. }]
---
Go.
`;
const bash = (command: string) => `{ tool: Bash, input: { command: ${command} } }`;
const once = (...calls: string[]) => `
    - when: { turn: 1 }
      reply: [${calls.join(', ')}]
    - reply: Done.`;
const start = (type: string) => `{ tool: Agent, input: { description: x, prompt: Go., subagent_type: ${type} } }`;

async function teamIn(folder: string) {
  const path = join(folder, 'by-write');
  const write = `{ tool: Write, input: { file_path: ${path}, content: x } }`;
  const ungit = once(bash('git status'), bash('ls && git log'), bash('ls'));
  return {
    path,
    script: `agents:
  team-lead:${once(start('reader'))}
  'team-lead/*':${once(write)}
  bob:${once(write, start('general-purpose'))}
  'bob/*':${once(bash('touch by-bash'))}
  eve:${ungit}
`,
  };
}

async function addAgents({ env }: Pick<Stage, 'env'>): Promise<void> {
  const folder = join(env['HOME'] ?? '', '.claude', 'agents');
  await mkdir(folder, { recursive: true });
  for (const [name, more] of Object.entries(AGENTS))
    await writeFile(join(folder, `${name}.md`), `---\nname: ${name}\ndescription: x\n${more}\n---\nDo it.\n`);
}

test.each(BACKENDS)(
  'what a definition leaves out is refused at the call too, its agents have no more than it, and a rule in it leaves the rest (%s)',
  async (backend) => {
    await using home = await stage();
    const repo = join(home.folder, 'project');
    await initRepo(repo);
    const { path, script } = await teamIn(repo);
    await using scripted = await stage(script);
    await addAgents(home);
    await addTemplate(home, 'two', TEAM);
    const env = { ...home.env, ANTHROPIC_BASE_URL: scripted.server.url };
    const here = { troupe: (args: readonly string[]) => home.troupe(args, { cwd: repo, env, timeout: 100_000 }) };
    // Nothing but the definitions stands in the way.
    const { exitCode, stderr } = await runJson(
      here,
      ...['two', '--backend', backend, '--permission-mode', 'bypassPermissions'],
    );
    expect(exitCode, stderr).toBe(0);

    const refused = (tool: string) => expect.stringContaining(`There is no tool "${tool}"`);
    expect(resultsOf(scripted, 'team-lead/')).toEqual([refused('Write')]);
    expect(resultsOf(scripted, 'bob')[0]).toEqual(refused('Write'));
    expect(resultsOf(scripted, 'bob/')).toEqual([refused('Bash')]);
    const ofChild = requestsOf(scripted, 'bob/')[0]?.tools.map(({ name }) => name);
    expect(ofChild?.filter((name) => ['Bash', 'Write', 'Edit', 'Glob'].includes(name))).toEqual([]);
    expect(existsSync(path)).toBe(false);

    const rule = expect.stringContaining('The permission rule Bash(git *) refuses');
    expect(resultsOf(scripted, 'eve')).toEqual([rule, rule, expect.not.stringContaining('refuses')]);
  },
);
