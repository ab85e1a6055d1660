import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { initRepo } from '../helpers/gitRepo.js';
import { heardBy, runJson } from '../helpers/headless.js';
import { mcpJson, oddServer } from '../helpers/mcp.js';
import { type Stage, stage } from '../helpers/program.js';
import { requestsOf, resultsOf } from '../helpers/requests.js';

const hook = (file: string) => [{ hooks: [{ type: 'command', command: `touch "$CLAUDE_PROJECT_DIR/${file}"` }] }];
const settings = (value: object) => ({ '.claude/settings.json': JSON.stringify(value) });
const once = (calls: string) => `agents: { team-lead: [{ when: { turn: 1 }, reply: [${calls}] }, { reply: Done. }] }`;
const bash = (command: string) => `{ tool: Bash, input: { command: "${command}" } }`;
const touch = once(bash('touch made'));
const AGENT = `agents:
  team-lead:
    - when: { turn: 1 }
      reply: [{ tool: Agent, input: { description: x, prompt: Go., subagent_type: helper } }]
    - reply: Done.
  'team-lead/*': [{ when: { turn: 1 }, reply: [${bash('ls')}] }, { reply: Done. }]`;
const template = (more: string) => `---\nname: here\ndescription: x\n${more}\n---\nGo.\n`;

type Project = Stage & { readonly repo: string; readonly outside: string };
const made = async ({ repo }: Project) => existsSync(join(repo, 'made'));
const told = (words: string) => async (at: Project) => heardBy(at, 'team-lead').at(-1)?.includes(words) === true;
const sent = (agent: string, tool: string) => async (at: Project) =>
  requestsOf(at, agent).some(({ tools }) => tools.some(({ name }) => name === tool));

interface Row {
  /** Of the project, by path; `OUTSIDE` in them is a folder beside it. */
  readonly files: Readonly<Record<string, string>>;
  /** Which file the one line names, and what of it. */
  readonly line: readonly [file: string, what: string];
  readonly script?: string;
  readonly words?: readonly string[];
  /** Whether what was brought along has had its effect; absent where it is for other programs. */
  readonly has?: (at: Project) => Promise<boolean>;
}

const ROWS: Readonly<Record<string, Row>> = {
  'hooks of its settings': {
    files: settings({ hooks: { SessionStart: hook('made') } }),
    line: ['.claude/settings.json', 'hooks do not count'],
    has: made,
  },
  'servers of .mcp.json': {
    files: { '.mcp.json': mcpJson({ odd: oddServer() }) },
    line: ['.mcp.json', 'its MCP servers do not count'],
    has: sent('team-lead', 'mcp__odd__echo'),
  },
  'servers of its settings': {
    files: settings({ mcpServers: { odd: oddServer() } }),
    line: ['.claude/settings.json', 'mcpServers do not count'],
    has: sent('team-lead', 'mcp__odd__echo'),
  },
  'allow rules': {
    files: settings({ permissions: { allow: ['Bash(touch made)'] } }),
    line: ['.claude/settings.json', 'permissions.allow do not count'],
    script: touch,
    has: made,
  },
  'a wider mode': {
    files: settings({ permissions: { defaultMode: 'bypassPermissions' } }),
    line: ['.claude/settings.json', 'permissions.defaultMode do not count'],
    script: touch,
    has: made,
  },
  'more folders': {
    files: settings({ permissions: { additionalDirectories: ['OUTSIDE'] } }),
    line: ['.claude/settings.json', 'permissions.additionalDirectories do not count'],
    script: once('{ tool: Read, input: { file_path: OUTSIDE/note } }'),
    has: async (at) => JSON.stringify(resultsOf(at, 'team-lead')).includes('NOTE-TEXT'),
  },
  variables: {
    files: settings({ env: { FROM_PROJECT: 'canary' } }),
    line: ['.claude/settings.json', 'env do not count'],
    script: once(bash('echo x$FROM_PROJECT')),
    words: ['--allowed-tools', 'Bash(echo *)'],
    has: async (at) => JSON.stringify(resultsOf(at, 'team-lead')).includes('xcanary'),
  },
  'programs for other programs': {
    files: settings({ statusLine: { type: 'command', command: 'true' }, apiKeyHelper: 'true' }),
    line: ['.claude/settings.json', 'statusLine, apiKeyHelper do not count'],
  },
  'several of them in one file': {
    files: settings({
      permissions: { allow: ['Bash(touch made)'], additionalDirectories: ['OUTSIDE'] },
      env: { A: 'b' },
      disableAllHooks: true,
    }),
    line: [
      '.claude/settings.json',
      'permissions.allow, permissions.additionalDirectories, env, disableAllHooks do not count',
    ],
  },
  'what a template permits': {
    files: { '.claude/teams/here.md': template('permissions: { allow: [Bash(touch made)] }\nenv: { A: b }') },
    line: ['.claude/teams/here.md', 'permissions.allow, env do not count'],
    script: touch,
    words: ['--template', 'here'],
    has: made,
  },
  'what a skill allows': {
    files: {
      '.claude/skills/s/SKILL.md': '---\nname: s\ndescription: x\nallowed-tools: Bash(touch made)\n---\nTouch.\n',
    },
    line: ['.claude/skills/s/SKILL.md', 'its allowed-tools do not count'],
    script: `agents:
  team-lead:
    - { when: { turn: 1 }, reply: [{ tool: Skill, input: { skill: s } }] }
    - { when: { turn: 2 }, reply: [${bash('touch made')}] }
    - reply: Done.`,
    has: made,
  },
  'hooks of an agent': {
    files: {
      '.claude/agents/helper.md': `---\nname: helper\ndescription: x\nhooks: ${JSON.stringify({ PreToolUse: hook('made') })}\n---\nHelp.\n`,
    },
    line: ['.claude/agents/helper.md', 'its hooks do not count'],
    script: AGENT,
    has: made,
  },
  'servers of an agent': {
    files: {
      '.claude/agents/helper.md': `---\nname: helper\ndescription: x\nmcpServers: ${JSON.stringify([{ odd: oddServer() }])}\n---\nHelp.\n`,
    },
    line: ['.claude/agents/helper.md', 'its inline MCP servers do not count'],
    script: AGENT,
    has: sent('team-lead/', 'mcp__odd__echo'),
  },
  'instructions from outside': {
    files: { 'CLAUDE.md': 'Read on: @OUTSIDE/note\n' },
    line: ['note', 'lies outside of the project and is left out'],
    has: told('NOTE-TEXT'),
  },
};

async function projectWith({ files, script = once('') }: Pick<Row, 'files' | 'script'>): Promise<Project> {
  const home = await stage();
  const [repo, outside] = [join(home.folder, 'project'), join(home.folder, 'outside')];
  await initRepo(repo);
  await mkdir(outside);
  await writeFile(join(outside, 'note'), 'NOTE-TEXT\n');
  const filled = (text: string) => text.replaceAll('OUTSIDE', outside);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(repo, name)), { recursive: true });
    await writeFile(join(repo, name), filled(text));
  }
  const scripted = await stage(script === once('') ? 'agents: { team-lead: [{ reply: Done. }] }' : filled(script));
  const env = { ...home.env, ANTHROPIC_BASE_URL: scripted.server.url };
  return {
    ...home,
    server: scripted.server,
    repo,
    outside,
    troupe: (args, options) => home.troupe(args, { cwd: repo, env, ...options }),
    async [Symbol.asyncDispose]() {
      await scripted[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

const aboutTrust = (stderr: string) => stderr.split('\n').filter((line) => line.includes('troupe trust'));

test.concurrent.each(Object.entries(ROWS))('a project brings along only once it is trusted: %s', async (_, row) => {
  await using at = await projectWith(row);
  const words = ['Go.', ...(row.words ?? [])];
  const [file, what] = row.line;
  const before = await runJson(at, ...words);
  expect(before.exitCode, before.stderr).toBe(0);
  expect(aboutTrust(before.stderr)).toEqual([expect.stringContaining(file)]);
  expect(before.stderr).toContain(what);
  expect(await row.has?.(at)).not.toBe(true);

  const after = await runJson(at, ...words, '--trust');
  expect(aboutTrust(after.stderr)).toEqual([]);
  expect(await row.has?.(at)).not.toBe(false);
});

test.concurrent('what narrows holds without trust: deny and ask rules of settings, deny rules of a template', async () => {
  await using at = await projectWith({
    files: {
      ...settings({ permissions: { deny: ['Bash(touch denied)'], ask: ['Bash(touch asked)'] } }),
      '.claude/teams/here.md': template('permissions: { deny: [Bash(touch barred)] }'),
    },
    script: once(['denied', 'asked', 'barred', 'free'].map((file) => bash(`touch ${file}`)).join(', ')),
  });
  const { stderr } = await runJson(at, '--template', 'here', '--permission-mode', 'bypassPermissions');
  expect(aboutTrust(stderr)).toEqual([]);
  const there = ['denied', 'asked', 'barred', 'free'].filter((file) => existsSync(join(at.repo, file)));
  expect(there).toEqual(['free']);
});

test.concurrent('with strictPluginOnlyCustomization neither settings nor agents of a trusted project bring hooks or servers, a plugin does', async () => {
  const powers = { hooks: { SessionStart: hook('by-settings') }, mcpServers: { odd: oddServer() } };
  await using at = await projectWith({
    files: {
      ...settings({ ...powers, strictPluginOnlyCustomization: true }),
      '.mcp.json': mcpJson({ file: oddServer() }),
      '.claude/agents/helper.md': `---\nname: helper\ndescription: x\nhooks: ${JSON.stringify({ PreToolUse: hook('by-agent') })}\nmcpServers: ${JSON.stringify([{ own: oddServer() }])}\n---\nHelp.\n`,
      'plug/hooks/hooks.json': JSON.stringify({ hooks: { SessionStart: hook('by-plugin') } }),
      'plug/.mcp.json': mcpJson({ odd: oddServer() }),
    },
    script: AGENT,
  });
  const { exitCode, stderr } = await runJson(at, 'Go.', '--trust', '--plugin-dir', join(at.repo, 'plug'));
  expect(exitCode, stderr).toBe(0);
  const there = ['by-settings', 'by-agent', 'by-plugin'].filter((file) => existsSync(join(at.repo, file)));
  expect(there).toEqual(['by-plugin']);
  const servers = ['team-lead', 'team-lead/'].map((agent) =>
    requestsOf(at, agent)[0]?.tools.flatMap(({ name }) => (name.startsWith('mcp__') ? [name] : [])),
  );
  expect(servers).toEqual(Array(2).fill([expect.stringMatching(/^mcp__.*plug.*odd__echo$/)]));
  expect(stderr).toContain('settings.json: its hooks do not count: only plugins may bring them');
});
