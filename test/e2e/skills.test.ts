import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { initRepo } from '../helpers/gitRepo.js';
import { addTemplate, runJson } from '../helpers/headless.js';
import { type Stage, stage } from '../helpers/program.js';

async function projectIn({ folder }: Pick<Stage, 'folder'>, files: Readonly<Record<string, string>>) {
  const path = join(folder, 'project');
  const repo = await initRepo(path);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), text);
  }
  await repo.git('add', '--all');
  await repo.git('commit', '--quiet', '-m', 'skills');
  return path;
}

const at = (team: Stage, cwd: string) => ({
  ...team,
  troupe: (args: readonly string[]) => team.troupe(args, { cwd, timeout: 100_000 }),
});

/** What was said to an agent, as each of its requests had it, without its system prompt and tools. */
const heardBy = ({ server }: Stage, agent: string) =>
  server
    .log()
    .filter(({ userId }) => userId.split(':').slice(2).join(':').startsWith(agent))
    .map(({ body }) => JSON.stringify(Said.parse(body).messages));
const Said = z.object({ messages: z.array(z.unknown()) });

const FILES = {
  '.claude/skills/release/SKILL.md':
    '---\nname: release\ndescription: Makes a release.\nallowed-tools: Bash(touch released)\n---\nRELEASE-BODY for $0 on !`git branch --show-current`, not !`rm -rf x`.\n',
  '.claude/skills/release/references/notes.md': 'REFERENCE-TEXT\n',
  '.claude/skills/people/SKILL.md':
    '---\nname: people\ndescription: For people.\ndisable-model-invocation: true\n---\nPEOPLE-BODY $ARGUMENTS\n',
  '.claude/skills/apart/SKILL.md':
    '---\nname: apart\ndescription: Looks apart.\ncontext: fork\nagent: Explore\nallowed-tools: Bash(touch apart)\n---\nAPART-BODY $ARGUMENTS\n',
  '.claude/commands/old.md': 'OLD-BODY\n',
};

const scriptFor = (path: string) => `
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: Skill, input: { skill: release, args: '"1.2 final" x' } }, { tool: Skill, input: { skill: people } }]
    - when: { turn: 2 }
      reply:
        - { tool: Read, input: { file_path: ${path}/.claude/skills/release/references/notes.md } }
        - { tool: Bash, input: { command: touch released } }
        - { tool: Bash, input: { command: touch other } }
        - { tool: Skill, input: { skill: apart, args: the docs } }
    - reply: Done.
  team-lead/*:
    - when: { turn: 1 }
      reply: [{ tool: Bash, input: { command: touch apart } }, { tool: Bash, input: { command: touch other } }]
    - reply: Looked.
`;

test('a skill is told by name, loaded on use, may read its folder and do what it allows; its commands are judged; a fork is an agent', async () => {
  await using team = await stage('agents: {}');
  const path = await projectIn(team, FILES);
  await using scripted = await stage(scriptFor(path));
  const { exitCode, stderr } = await runJson(at(scripted, path), 'Go.', '--trust', '--permission-mode', 'dontAsk');
  expect(exitCode, stderr).toBe(0);
  const heard = heardBy(scripted, 'team-lead').filter((body) => !body.includes('APART-BODY'));
  expect(heard[0]).toContain('- release: Makes a release.\\n');
  expect(heard[0]).toContain('- old: OLD-BODY');
  expect(heard[0]).not.toContain('For people.');
  expect(heard[0]).not.toContain('RELEASE-BODY');
  expect(heard[1]).toContain('RELEASE-BODY for 1.2 final on main, not (not run: `rm -rf x`.');
  expect(heard[1]).toContain('is for people alone');
  expect(heard[2]).toContain('REFERENCE-TEXT');
  expect(heard[2]).toContain('mode dontAsk nobody is asked: Bash: touch other');
  expect(heard[2]).not.toContain('asked: Bash: touch released');
  expect(heard[2]).toContain('Looked.');
  expect(heardBy(scripted, 'team-lead/')[0]).toContain('APART-BODY the docs');
  expect((await readdir(path)).filter((name) => /released|other|apart/.test(name)).sort()).toEqual([
    'apart',
    'released',
  ]);
});

test('what an untrusted project’s skill allows does not count; a deny rule takes a skill away', async () => {
  await using team = await stage('agents: {}');
  const path = await projectIn(team, FILES);
  await using scripted = await stage(scriptFor(path));
  await runJson(at(scripted, path), 'Go.', '--permission-mode', 'dontAsk', '--disallowed-tools', 'Skill(apart)');
  const heard = heardBy(scripted, 'team-lead');
  expect(heard[0]).not.toContain('- apart:');
  expect(heard[2]).toContain('mode dontAsk nobody is asked: Bash: touch released');
  expect(heard[2]).toContain('The permission rule Skill(apart) refuses');
});

test('a person asks with /name, in a prompt and by message, also for what the model may not; another word with a slash stays as it is', async () => {
  await using team = await stage('agents: {}');
  const path = await projectIn(team, FILES);
  await using scripted = await stage('agents: { team-lead: [{ reply: Done. }] }');
  await runJson(at(scripted, path), '/people all of you', '--permission-mode', 'dontAsk');
  expect(heardBy(scripted, 'team-lead')[0]).toContain('/people all of you\\n<skill name=\\"people\\"');
  expect(heardBy(scripted, 'team-lead')[0]).toContain('PEOPLE-BODY all of you\\n</skill>');
  await runJson(at(scripted, path), '/etc/hosts is wrong', '--permission-mode', 'dontAsk');
  expect(heardBy(scripted, 'team-lead')[1]).toContain('/etc/hosts is wrong');
  expect(heardBy(scripted, 'team-lead')[1]).not.toContain('<skill name');
});

test('skills of a definition are loaded before the prompt of a teammate in a worktree and of a sub-agent; a missing one is said', async () => {
  await using team = await stage('agents: {}');
  const path = await projectIn(team, {
    ...FILES,
    '.claude/agents/able.md': '---\nname: able\ndescription: x\nskills: [release, gone]\n---\nYou are able.\n',
  });
  await using scripted = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: Agent, input: { description: look, prompt: Look., subagent_type: able } }]
    - reply: Done.
  team-lead/*: [{ reply: Looked. }]
  bob: [{ reply: Hello. }]
`);
  await addTemplate(
    scripted,
    'one',
    '---\nname: one\ndescription: x\nmembers: [{ name: bob, agent: able, prompt: Look., worktree: true }]\n---\nGo.\n',
  );
  await runJson(at(scripted, path), 'one', '--permission-mode', 'acceptEdits');
  for (const name of ['bob', 'team-lead/']) {
    const [first = ''] = heardBy(scripted, name);
    expect(first).toMatch(/RELEASE-BODY[\s\S]*skill \\"gone\\" of your definition does not exist[\s\S]*Look\./);
  }
});

test('troupe skills lists those of a --plugin-dir too, by the name that agents use; a folder that is no plugin is refused', async () => {
  await using team = await stage('agents: {}');
  await mkdir(join(team.folder, 'plug', 'skills', 'tidy'), { recursive: true });
  await writeFile(
    join(team.folder, 'plug', 'skills', 'tidy', 'SKILL.md'),
    '---\nname: tidy\ndescription: Tidies up.\n---\nTidy.\n',
  );
  const listed = await team.troupe(['skills', '--plugin-dir', 'plug']);
  expect({ exitCode: listed.exitCode, stdout: listed.stdout }, listed.stderr).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(/^plug:tidy +plugin +Tidies up\./),
  });
  expect((await team.troupe(['skills'])).stdout).not.toContain('tidy');
  const refused = await team.troupe(['skills', '--plugin-dir', 'nowhere']);
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('nowhere')]);
});
