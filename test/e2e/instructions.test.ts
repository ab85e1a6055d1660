import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { initRepo } from '../helpers/gitRepo.js';
import { addTemplate, heardBy, runJson } from '../helpers/headless.js';
import { type Stage, stage } from '../helpers/program.js';

/** A project whose instructions are `files`; the team works in it. */
async function projectOf(team: Stage, files: Readonly<Record<string, string>>) {
  const path = join(team.folder, 'project');
  const repo = await initRepo(path);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), text);
  }
  await repo.git('add', '--all');
  await repo.git('commit', '--quiet', '-m', 'instructions');
  return {
    path,
    stage: { ...team, troupe: (args: readonly string[]) => team.troupe(args, { cwd: path, timeout: 100_000 }) },
  };
}

const count = (texts: readonly string[], word: string) => (texts.at(-1) ?? '').split(word).length - 1;

const EVERYBODY = `
agents:
  team-lead:
    - when: { turn: 1 }
      reply:
        - { tool: Agent, input: { description: look, prompt: Look., subagent_type: general-purpose } }
        - { tool: Agent, input: { description: look, prompt: Look., subagent_type: Explore } }
    - when: { user: 'bob' }
      reply: Done.
    - reply: I wait.
  team-lead/*: [{ reply: Looked. }]
  bob: [{ reply: Hello. }]
  carol: [{ reply: Hello. }]
`;
const TWO = `---
name: two
description: x
members:
  - { name: bob, prompt: Look. }
  - { name: carol, prompt: Look., worktree: true }
---
Go.
`;

test('the lead, teammates in and out of a worktree, and sub-agents are told of the project’s instructions once each; Explore is not', async () => {
  await using team = await stage(EVERYBODY);
  await addTemplate(team, 'two', TWO);
  const { stage: here, path } = await projectOf(team, {
    'CLAUDE.md': 'HOUSE-RULE: tests first. @docs/style.md\n',
    'docs/style.md': 'STYLE-RULE: short.\n',
  });
  await mkdir(join(team.env['HOME'] ?? '', '.claude'));
  await writeFile(join(team.env['HOME'] ?? '', '.claude', 'CLAUDE.md'), 'USER-RULE: be kind.\n');
  const { exitCode, stderr } = await runJson(here, 'two', '--permission-mode', 'acceptEdits');
  expect(exitCode, stderr).toBe(0);
  const [explorer, worker] = [/READ ONLY/, /no gold-plating|gold/].map((words) =>
    heardBy(team, 'team-lead/').filter((body) => words.test(body)),
  );
  for (const heard of [
    heardBy(team, 'bob'),
    heardBy(team, 'carol'),
    heardBy(team, 'team-lead').filter((body) => body.includes('SendMessage')),
    worker ?? [],
  ]) {
    expect(count(heard, 'HOUSE-RULE')).toBe(1);
    expect(count(heard, 'STYLE-RULE')).toBe(1);
    expect(count(heard, 'USER-RULE')).toBe(1);
  }
  expect(explorer?.length).toBeGreaterThan(0);
  expect(count(explorer ?? [], 'RULE')).toBe(0);
  expect(heardBy(team, 'bob').at(-1)).toContain(`<file path=\\"${path}/CLAUDE.md\\" origin=\\"of the project\\">`);
});

test('what lies beside a file is told behind the result of the tool that opened it, once, to whoever opened it', async () => {
  await using team = await stage('agents: {}');
  const { path } = await projectOf(team, {
    'src/CLAUDE.md': 'SRC-RULE',
    'src/a.txt': 'text\n',
    '.claude/rules/docs.md': '---\npaths: docs/**\n---\nDOCS-RULE',
  });
  await using scripted = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: Read, input: { file_path: ${path}/src/a.txt } }, { tool: Read, input: { file_path: ${path}/src/a.txt } }, { tool: Write, input: { file_path: ${path}/docs/new.md, content: x } }]
    - when: { turn: 2 }
      reply:
        - { tool: Agent, input: { description: fork, prompt: FORK-TASK, subagent_type: fork } }
        - { tool: Agent, input: { description: look, prompt: Look., subagent_type: Explore } }
    - reply: Done.
  team-lead/*:
    - when: { turn: 1 }
      reply: [{ tool: Read, input: { file_path: ${path}/src/a.txt } }]
    - reply: Looked.
`);
  const here = {
    ...scripted,
    troupe: (args: readonly string[]) => scripted.troupe(args, { cwd: path, timeout: 100_000 }),
  };
  const { exitCode, stderr } = await runJson(here, 'Go.', '--permission-mode', 'acceptEdits');
  expect(exitCode, stderr).toBe(0);
  const lead = heardBy(scripted, 'team-lead').filter((body) => !body.includes('READ ONLY'));
  expect([
    count(lead.slice(0, 1), 'RULE'),
    count(lead.slice(0, 2), 'SRC-RULE'),
    count(lead.slice(0, 2), 'DOCS-RULE'),
  ]).toEqual([0, 1, 1]);
  const forked = heardBy(scripted, 'team-lead/').filter((body) => body.includes('FORK-TASK'));
  expect([forked.length, count(forked, 'SRC-RULE')]).toEqual([2, 1]);
  const explorer = heardBy(scripted, 'team-lead/').filter((body) => body.includes('READ ONLY'));
  expect([explorer.length, count(explorer, 'RULE')]).toEqual([2, 0]);
});

test('the settings say which files are read; TROUPE_SIMPLE reads none', async () => {
  await using team = await stage('agents: { team-lead: [{ reply: Done. }] }');
  const { stage: here } = await projectOf(team, {
    'CLAUDE.md': 'CLAUDE-RULE',
    'AGENTS.md': 'AGENTS-RULE',
    '.claude/settings.json': JSON.stringify({
      instructionFiles: 'claude-md-and-agents-md',
      claudeMdExcludes: ['**/CLAUDE.md'],
    }),
  });
  await runJson(here, 'Go.');
  expect(heardBy(team, 'team-lead').at(-1)).toContain('AGENTS-RULE');
  expect(heardBy(team, 'team-lead').at(-1)).not.toContain('CLAUDE-RULE');
  const simple = {
    ...here,
    troupe: (args: readonly string[]) =>
      team.troupe(args, {
        cwd: join(team.folder, 'project'),
        timeout: 100_000,
        env: { ...team.env, TROUPE_SIMPLE: '1' },
      }),
  };
  await runJson(simple, 'Go.');
  expect(heardBy(team, 'team-lead').at(-1)).not.toContain('RULE');
});

test('what had to be left out is told to the person at the start, a line each, and to the agents', async () => {
  await using team = await stage('agents: { team-lead: [{ reply: Done. }] }');
  const { stage: here, path } = await projectOf(team, { 'CLAUDE.md': 'CLAUDE-RULE @./gone.md' });
  const { stderr } = await runJson(here, 'Go.');
  expect(stderr.split('\n').filter((line) => line.includes('gone.md'))).toEqual([
    expect.stringContaining(`${path}/gone.md does not exist`),
  ]);
  expect(heardBy(team, 'team-lead').at(-1)).toContain('gone.md does not exist');
});
