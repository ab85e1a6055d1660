import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { initRepo } from '../helpers/gitRepo.js';
import { addTemplate, heardBy, runJson } from '../helpers/headless.js';
import { stage } from '../helpers/program.js';

const noter = (more: string) => `---\nname: noter\ndescription: Notes.\n${more}\n---\nYou note.\n`;
const inProject = '.claude/agent-memory/noter/MEMORY.md';

async function project(folder: string, definition: string) {
  const path = join(folder, 'project');
  const repo = await initRepo(path);
  await mkdir(join(path, '.claude', 'agents'), { recursive: true });
  await writeFile(join(path, '.claude', 'agents', 'noter.md'), definition);
  await repo.git('add', '--all');
  await repo.git('commit', '--quiet', '-m', 'agents');
  return { path, repo };
}

const NOTES = (path: string, outside: string) => `
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: Agent, input: { description: note, prompt: Note., subagent_type: noter } }]
    - reply: Done.
  team-lead/*:
    - when: { turn: 1 }
      reply:
        - { tool: Write, input: { file_path: ${path}, content: "WAS-NOTED" } }
        - { tool: Write, input: { file_path: ${outside}, content: "x" } }
    - reply: Noted.
`;

test('a sub-agent writes its notes unasked and nothing else, though it has no such tool, and sees them the next time', async () => {
  await using team = await stage('agents: {}');
  const { path, repo } = await project(team.folder, noter('tools: Grep\nmemory: local'));
  const note = join(path, '.claude/agent-memory-local/noter/MEMORY.md');
  await using scripted = await stage(NOTES(note, join(path, 'other.txt')));
  const here = {
    ...scripted,
    troupe: (args: readonly string[]) => scripted.troupe(args, { cwd: path, timeout: 100_000 }),
  };
  const first = await runJson(here, 'Go.', '--permission-mode', 'dontAsk');
  expect(first.exitCode, first.stderr).toBe(0);
  expect(await readFile(note, 'utf8')).toBe('WAS-NOTED');
  expect(heardBy(scripted, 'team-lead/').at(-1)).toContain('You have Write for your memory alone');
  // git does not see it.
  expect(await repo.git('status', '--porcelain')).toBe('');
  await runJson(here, 'Go.', '--permission-mode', 'dontAsk');
  const systems = scripted.server
    .log()
    .filter(({ userId }) => userId.includes('/'))
    .map(({ body }) => JSON.stringify(body));
  expect(systems[0]).not.toContain('<memory-index');
  expect(systems.at(-1)).toMatch(/<memory-index path=[^>]*>\\nWAS-NOTED/);
});

test('a lead and a teammate in a worktree with such a definition share the notes of the main checkout', async () => {
  await using team = await stage('agents: {}');
  const { path } = await project(team.folder, noter('memory: project'));
  const script = `
agents:
  team-lead: [{ reply: Hello. }]
  bob:
    - when: { turn: 1 }
      reply: [{ tool: Write, input: { file_path: ${join(path, inProject)}, content: BY-BOB } }]
    - reply: Noted.
`;
  await using scripted = await stage(script);
  await addTemplate(
    scripted,
    'two',
    '---\nname: two\ndescription: x\nlead: { agent: noter }\nmembers: [{ name: bob, agent: noter, prompt: Note., worktree: true }]\n---\nGo.\n',
  );
  const here = {
    ...scripted,
    troupe: (args: readonly string[]) => scripted.troupe(args, { cwd: path, timeout: 100_000 }),
  };
  const first = await runJson(here, 'two', '--permission-mode', 'dontAsk');
  expect(first.exitCode, first.stderr).toBe(0);
  expect(await readFile(join(path, inProject), 'utf8')).toBe('BY-BOB');
  await runJson(here, 'two', '--permission-mode', 'dontAsk');
  for (const name of ['team-lead', 'bob']) expect(heardBy(scripted, name).at(-1)).toContain('\\nBY-BOB');
});

test('what a parent has for its notes alone is no tool of its sub-agents', async () => {
  await using team = await stage('agents: {}');
  const { path } = await project(team.folder, noter('tools: Agent, Grep\nmemory: project'));
  await using scripted = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: Agent, input: { description: look, prompt: Look., subagent_type: general-purpose } }]
    - reply: Done.
  team-lead/*:
    - when: { turn: 1 }
      reply: [{ tool: Write, input: { file_path: ${join(path, 'other.txt')}, content: "x" } }]
    - reply: Looked.
`);
  await addTemplate(scripted, 'one', '---\nname: one\ndescription: x\nlead: { agent: noter }\n---\nGo.\n');
  const here = {
    ...scripted,
    troupe: (args: readonly string[]) => scripted.troupe(args, { cwd: path, timeout: 100_000 }),
  };
  const ended = await runJson(here, 'one', '--permission-mode', 'bypassPermissions');
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(heardBy(scripted, 'team-lead/').at(-1)).toContain('There is no tool \\"Write\\"');
});

test('a memory that cannot be used is one line for the person and an event of its own kind, and the agent works without it', async () => {
  await using team = await stage('agents: { "*": [{ reply: Done. }] }');
  const { path } = await project(team.folder, noter('memory: user'));
  const folder = join(team.env['HOME'] ?? '', '.claude', 'agent-memory');
  await mkdir(folder, { recursive: true });
  await symlink(join(team.folder, 'nowhere'), join(folder, 'noter'));
  await addTemplate(
    team,
    'one',
    '---\nname: one\ndescription: x\nmembers: [{ name: bob, agent: noter, prompt: Go. }]\n---\nGo.\n',
  );
  const ended = await team.troupe(['run', 'one', '--name', 'red'], { cwd: path, timeout: 100_000 });
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(ended.stderr).toContain('is a link to nothing, and no memory is kept there');
  const [archived = ''] = await readdir(join(team.home, 'archive'));
  const events = await readFile(join(team.home, 'archive', archived, 'events.jsonl'), 'utf8');
  expect(events).toMatch(/"type":"file_problem".*link to nothing/);
  expect(events).not.toContain('mcp_problem');
});
