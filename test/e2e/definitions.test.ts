import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { run } from '../../src/host/run.js';
import { initRepo } from '../helpers/gitRepo.js';
import { addTemplate, heardBy, runJson } from '../helpers/headless.js';
import { type Stage, stage } from '../helpers/program.js';

const Listing = z.looseObject({
  agents: z.array(z.looseObject({ name: z.string(), source: z.string() })),
  skipped: z.array(z.looseObject({ file: z.string() })),
});
const Shown = z.looseObject({
  agentType: z.string(),
  overrides: z.array(z.looseObject({ source: z.string(), file: z.optional(z.string()) })),
});
const Request = z.looseObject({
  model: z.string(),
  system: z.array(z.looseObject({ text: z.string() })),
  tools: z.array(z.looseObject({ name: z.string() })),
});

const REVIEWER =
  '---\nname: reviewer\ndescription: Reviews.\ntools: Read, Grep, SendMessage\nmodel: opus\n---\nYou review like a hawk.\n';

async function write(path: string, text: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}

const names = async (at: Stage, env: Record<string, string> = {}) => {
  const { stdout, stderr } = await at.troupe(['agents', '--json'], { env: { ...at.env, ...env } });
  expect(stderr).toBe('');
  return Listing.parse(JSON.parse(stdout)).agents.map(({ name }) => name);
};

/** What an agent was given: who it is, how it thinks, and which of its tools its definition can decide on. */
function given(at: Stage, agent: string) {
  const [first] = heardBy(at, agent);
  const { model, system, tools } = Request.parse(JSON.parse(first ?? '{}'));
  return {
    model,
    words: system.some(({ text }) => text.startsWith('You review like a hawk.')),
    // A teammate has the team's own tools besides.
    tools: tools.map(({ name }) => name).filter((name) => !/^(SendMessage|Task)/.test(name)),
  };
}

const Results = z.looseObject({
  messages: z.array(z.looseObject({ content: z.array(z.looseObject({ content: z.optional(z.string()) })) })),
});

/** The tool result in the last message of a request. */
function resultIn(request: string): string {
  const { messages } = Results.parse(JSON.parse(request));
  return messages.at(-1)?.content.find(({ content }) => content !== undefined)?.content ?? '';
}

test('a definition is the same agent as a sub-agent, as a teammate of a template and as one that the lead starts', async () => {
  await using at = await stage(`
agents:
  team-lead:
    - when: { turn: 1 }
      reply:
        - { tool: Agent, input: { description: look, prompt: Look., subagent_type: reviewer } }
        - { tool: Agent, input: { description: look, prompt: Look., subagent_type: reviewer, name: spawned } }
    - reply: Done.
  "*":
    - reply: Looked.
`);
  await write(join(at.folder, '.claude/agents/reviewer.md'), REVIEWER);
  await addTemplate(
    at,
    'one',
    '---\nname: one\ndescription: x\nmembers: [{ name: listed, agent: reviewer, prompt: Look. }]\n---\nGo.\n',
  );
  const { exitCode, stderr } = await runJson(at, 'one');
  expect(exitCode, stderr).toBe(0);
  const expected = { model: expect.stringContaining('opus'), words: true, tools: ['Grep', 'Read'] };
  const ways = ['team-lead/agent-', 'spawned', 'listed'].map((agent) => given(at, agent));
  expect(ways).toEqual([expected, expected, expected]);
});

test('an agent that is not committed is there for a member in a worktree, too', async () => {
  await using at = await stage('agents: { "*": [{ reply: Looked. }] }');
  const repo = await initRepo(join(at.folder, 'repo'));
  await write(join(repo.path, '.claude/agents/reviewer.md'), REVIEWER);
  await addTemplate(
    at,
    'one',
    '---\nname: one\ndescription: x\nmembers: [{ name: bob, agent: reviewer, worktree: true, prompt: Look. }]\n---\nGo.\n',
  );
  const ended = await at.troupe(['run', 'one', '--output-format', 'json'], { cwd: repo.path });
  expect(ended.exitCode, ended.stderr).toBe(0);
  expect(given(at, 'bob').words).toBe(true);
  expect(heardBy(at, 'bob')[0]).toContain('.claude/worktrees/');
});

test('the setting worktree shapes the worktrees of members', async () => {
  await using at = await stage(`
agents:
  bob:
    - when: { turn: 1 }
      reply: [{ tool: Bash, input: { command: "ls -A" } }]
    - reply: Looked.
  "*": [{ reply: Noted. }]
`);
  const repo = await initRepo(join(at.folder, 'repo'));
  await write(join(repo.path, 'docs/a.md'), 'a');
  await write(join(repo.path, 'src/app/a.ts'), 'a');
  await write(join(repo.path, '.worktreeinclude'), '.env\n');
  await repo.commit('.gitignore', 'node_modules/\n.env\n');
  await write(join(repo.path, '.env'), 'A=1');
  await write(join(repo.path, 'node_modules/dependency/index.js'), '');
  const worktree = { sparsePaths: ['src/app'], symlinkDirectories: ['node_modules'] };
  await write(join(repo.path, '.claude/settings.local.json'), JSON.stringify({ worktree }));
  await addTemplate(
    at,
    'one',
    '---\nname: one\ndescription: x\nmembers: [{ name: bob, worktree: true, prompt: Look. }]\n---\nGo.\n',
  );
  const ended = await at.troupe(['run', 'one', '--output-format', 'json'], { cwd: repo.path });
  expect(ended.exitCode, ended.stderr).toBe(0);
  const seen = resultIn(heardBy(at, 'bob').at(-1) ?? '{}').split('\n');
  for (const there of ['.env', '.worktreeinclude', 'src', 'node_modules']) expect(seen).toContain(there);
  expect(seen).not.toContain('docs');
  const { stdout } = await run('git', ['worktree', 'list'], { cwd: repo.path });
  expect(stdout.split('\n')).toHaveLength(1);
  expect((await run('git', ['status', '--porcelain'], { cwd: repo.path })).stdout).toBe('?? .claude/');
});

test('what an earlier team left in the project, and what holds nothing, is gone at the next start', async () => {
  await using at = await stage('agents: { "*": [{ reply: Noted. }] }');
  const repo = await initRepo(join(at.folder, 'repo'));
  for (const name of ['left', 'full'])
    await repo.git('worktree', 'add', '--quiet', '-b', `troupe/${name}`, join('.claude/worktrees', name));
  await write(join(repo.path, '.claude/worktrees/full/work.txt'), 'work');
  const ended = await at.troupe(['run', 'Hello.', '--output-format', 'json'], { cwd: repo.path });
  expect(ended.exitCode, ended.stderr).toBe(0);
  const left = await repo.git('for-each-ref', '--format=%(refname:short)', 'refs/heads');
  expect(left.split('\n')).toEqual(['main', 'troupe/full']);
  expect(await readFile(join(repo.path, '.claude/worktrees/full/work.txt'), 'utf8')).toBe('work');
});

test('agents show says what a definition overrides, and agents check says what is wrong, in Markdown and in JSON', async () => {
  await using at = await stage();
  const user = at.env['HOME'] ?? '';
  const ofUser = await write(join(user, '.claude/agents/e.md'), REVIEWER.replace('name: reviewer', 'name: Explore'));
  const mine = await write(join(at.folder, '.claude/agents/e.md'), REVIEWER.replace('name: reviewer', 'name: Explore'));
  await write(join(at.home, 'plugins/docs/agents/w.md'), REVIEWER);
  const { stdout } = await at.troupe(['agents', 'show', 'Explore', '--json']);
  expect(Shown.parse(JSON.parse(stdout))).toMatchObject({
    source: 'project',
    filename: mine,
    overrides: [
      { source: 'user', file: ofUser, by: mine },
      { source: 'built-in', by: mine },
    ],
  });
  expect(await names(at)).toContain('docs:reviewer');
  expect((await at.troupe(['agents', 'check'])).exitCode).toBe(0);

  const broken = await write(join(at.home, 'plugins/other/plugin.json'), '{"agents": {"a": {"prompt": "x"}}}');
  for (const args of [[], [broken]]) {
    const checked = await at.troupe(['agents', 'check', ...args]);
    expect([checked.exitCode, checked.stdout]).toEqual([2, expect.stringContaining('"a": it has no "description".')]);
  }
});

test('switches in the environment decide which agents there are', async () => {
  await using at = await stage();
  await write(join(at.folder, '.claude/agents/r.md'), REVIEWER);
  expect(await names(at, { TROUPE_SIMPLE: '1' })).not.toContain('reviewer');
  expect(await names(at, { TROUPE_SIMPLE: '0' })).toContain('reviewer');
  expect(await names(at, { TROUPE_DISABLE_EXPLORE_PLAN_AGENTS: '1' })).not.toContain('Explore');
  expect(await names(at, { TROUPE_COORDINATOR_MODE: '1' })).toEqual(['reviewer', 'worker']);
  expect(await names(at, { TROUPE_DISABLE_BUILTIN_AGENTS: '1' })).toContain('general-purpose');
});

test('in run without built-in agents, a member without a type is an error', async () => {
  await using at = await stage('agents: { "*": [{ reply: Noted. }] }');
  const template = (agent: string) =>
    `---\nname: one\ndescription: x\nmembers: [{ name: bob, ${agent} prompt: Look. }]\n---\nGo.\n`;
  const agents = JSON.stringify({ poet: { description: 'x', prompt: 'You rhyme.' } });
  const env = { ...at.env, TROUPE_DISABLE_BUILTIN_AGENTS: '1' };
  await addTemplate(at, 'one', template(''));
  const without = await at.troupe(['run', 'one', '--agents', agents], { env });
  expect([without.exitCode, without.stderr]).toEqual([2, expect.stringContaining('"general-purpose". Known: poet')]);
  await addTemplate(at, 'one', template('agent: poet,'));
  const withType = await at.troupe(['run', 'one', '--agents', agents], { env });
  expect(withType.exitCode, withType.stderr).toBe(0);
});

test('--plugin-dir brings a plugin’s agents to every member', async () => {
  await using at = await stage('agents: { "*": [{ reply: Noted. }] }');
  await write(join(at.folder, 'dev/docs/agents/r.md'), REVIEWER);
  await addTemplate(
    at,
    'one',
    '---\nname: one\ndescription: x\nmembers: [{ name: bob, agent: "docs:reviewer", prompt: Look. }]\n---\nGo.\n',
  );
  const { exitCode, stderr } = await runJson(at, 'one', '--plugin-dir', 'dev/docs');
  expect(exitCode, stderr).toBe(0);
  expect(given(at, 'bob').words).toBe(true);
  const none = await at.troupe(['run', 'one', '--plugin-dir', 'nowhere']);
  expect([none.exitCode, none.stderr]).toEqual([2, expect.stringContaining('--plugin-dir: there is no plugin at')]);
});

test('a fork cannot be a member', async () => {
  await using at = await stage('agents: { "*": [{ reply: Noted. }] }');
  await addTemplate(
    at,
    'one',
    '---\nname: one\ndescription: x\nmembers: [{ name: bob, agent: fork, prompt: x }]\n---\nGo.\n',
  );
  const { exitCode, stderr } = await at.troupe(['run', 'one']);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('it cannot be a member of a team')]);
});
