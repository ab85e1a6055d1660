import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addTemplate } from '../helpers/headless.js';
import { stage } from '../helpers/program.js';
import { BACKENDS } from '../helpers/puppets.js';
import { resultsOf } from '../helpers/requests.js';

const NOTEBOOK =
  '{"cells":[{"cell_type":"code","id":"a","metadata":{},"outputs":[],"source":["1"],"execution_count":null}],"metadata":{},"nbformat":4,"nbformat_minor":5}';

const script = (folder: string) => `
agents:
  team-lead: [{ reply: Noted. }]
  eve:
    - when: { turn: 1 }
      reply:
        - { tool: Read, input: { file_path: ${folder}/a.txt } }
        - { tool: Read, input: { file_path: ${folder}/n.ipynb } }
    - when: { tool: Read }
      reply:
        - { tool: Edit, input: { file_path: ${folder}/a.txt, old_string: before, new_string: after } }
        - { tool: Write, input: { file_path: ${folder}/by-write, content: x } }
        - { tool: NotebookEdit, input: { notebook_path: ${folder}/n.ipynb, cell_id: a, new_source: '2' } }
        - { tool: Bash, input: { command: touch by-bash } }
        - { tool: Bash, input: { command: touch by-background, run_in_background: true } }
        - { tool: Agent, input: { description: x, prompt: Touch it as a sub-agent., subagent_type: general-purpose } }
        - { tool: Agent, input: { description: x, prompt: Touch it as a fork., subagent_type: fork } }
    - reply: I could change nothing.
  eve/*:
    - when: { user: Touch it }
      reply:
        - { tool: Bash, input: { command: touch by-agent } }
        - { tool: Write, input: { file_path: ${folder}/by-agent-write, content: x } }
    - reply: Neither could I.
`;

const TEAM = `---
name: planned
description: One who plans.
approver: human
lead: { permissionMode: bypassPermissions }
members: [{ name: eve, plan: true, prompt: Change things. }]
---
Wait.
`;

test.each(BACKENDS)('before its plan is approved a member changes nothing, by whatever route (%s)', async (backend) => {
  await using home = await stage();
  await using scripted = await stage(script(home.folder));
  const env = { ...home.env, ANTHROPIC_BASE_URL: scripted.server.url, TROUPE_FORK_SUBAGENT: '1' };
  await writeFile(join(home.folder, 'a.txt'), 'before');
  await writeFile(join(home.folder, 'n.ipynb'), NOTEBOOK);
  await addTemplate(home, 'planned', TEAM);
  const before = (await readdir(home.folder)).sort();
  const { exitCode, stderr } = await home.troupe(['run', 'planned', '--backend', backend], { env, timeout: 100_000 });
  expect(exitCode, stderr).toBe(0);
  const after = (await readdir(home.folder)).filter((name) => name !== 'run' && !before.includes(name));
  expect(after).toEqual([]);
  expect(await readFile(join(home.folder, 'a.txt'), 'utf8')).toBe('before');
  expect(await readFile(join(home.folder, 'n.ipynb'), 'utf8')).toBe(NOTEBOOK);
  const results = resultsOf(scripted, 'eve').map((content) => JSON.stringify(content));
  const refused = (text: string) => text.includes('Plan mode is on: nothing may be changed');
  expect(results.map(refused)).toEqual([false, false, true, true, true, true, true, false, false]);
  const agents = scripted.server.log().filter(({ userId }) => userId.includes(':eve/'));
  expect(agents.filter(({ body }) => JSON.stringify(body).includes('Plan mode is on')).length).toBeGreaterThan(1);
});
