import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { initRepo } from '../helpers/gitRepo.js';
import { heardBy, runJson } from '../helpers/headless.js';
import { mcpJson, oddServer } from '../helpers/mcp.js';
import { type Stage, stage } from '../helpers/program.js';
import { requestsOf, resultsOf } from '../helpers/requests.js';

const hook = (file: string) => [{ hooks: [{ type: 'command', command: `touch "$CLAUDE_PROJECT_DIR/${file}"` }] }];
const settings = (value: object) => ({ '.claude/settings.json': JSON.stringify(value) });
const lead = (...turns: readonly string[]) =>
  `agents:\n  team-lead:\n${turns.map((calls, at) => `    - { when: { turn: ${at + 1} }, reply: [${calls}] }\n`).join('')}    - reply: Done.\n`;
const bash = (command: string) => `{ tool: Bash, input: { command: "${command}" } }`;
const agent = (type: string) => `{ tool: Agent, input: { description: x, prompt: Go., subagent_type: ${type} } }`;
const AGENTS = `  'team-lead/*': [{ when: { turn: 1 }, reply: [${bash('ls')}] }, { reply: Done. }]\n`;
const definition = (name: string, more: string) => `---\nname: ${name}\ndescription: x\n${more}\n---\nHelp.\n`;

type Project = Stage & { readonly repo: string; readonly outside: string };
const made = (file: string) => (at: Project) => existsSync(join(at.repo, file));
const told = (words: string) => (at: Project) => heardBy(at, 'team-lead').at(-1)?.includes(words) === true;
const answered = (words: string) => (at: Project) => JSON.stringify(resultsOf(at, 'team-lead')).includes(words);
const sent = (to: string, tool: string) => (at: Project) =>
  requestsOf(at, to).some(({ tools }) => tools.some(({ name }) => name === tool));

interface Brought {
  /** Which file the one line names, and what of it. */
  readonly line: readonly [file: string, what: string];
  /** Whether what was brought along has had its effect; absent where it is for other programs. */
  readonly has?: (at: Project) => boolean;
}

interface Case {
  /** Of the project, by path; `OUTSIDE` in them is a folder beside it. */
  readonly files: Readonly<Record<string, string>>;
  readonly script: string;
  readonly words?: readonly string[];
  readonly brings: Readonly<Record<string, Brought>>;
}

const SETTINGS = '.claude/settings.json';

const CASES: Readonly<Record<string, Case>> = {
  'in its settings': {
    files: settings({
      hooks: { SessionStart: hook('by-hook') },
      mcpServers: { odd: oddServer() },
      permissions: { allow: ['Bash(touch by-rule)'], additionalDirectories: ['OUTSIDE'] },
      env: { FROM_PROJECT: 'canary' },
      statusLine: { type: 'command', command: 'true' },
      apiKeyHelper: 'true',
    }),
    script: lead(
      [bash('touch by-rule'), '{ tool: Read, input: { file_path: OUTSIDE/note } }', bash('echo x$FROM_PROJECT')].join(),
    ),
    words: ['--allowed-tools', 'Bash(echo *)'],
    brings: {
      hooks: { line: [SETTINGS, 'hooks'], has: made('by-hook') },
      servers: { line: [SETTINGS, 'mcpServers'], has: sent('team-lead', 'mcp__odd__echo') },
      'allow rules': { line: [SETTINGS, 'permissions.allow'], has: made('by-rule') },
      'more folders': { line: [SETTINGS, 'permissions.additionalDirectories'], has: answered('NOTE-TEXT') },
      variables: { line: [SETTINGS, 'env'], has: answered('xcanary') },
      'a status line': { line: [SETTINGS, 'statusLine'] },
      'a helper for keys': { line: [SETTINGS, 'apiKeyHelper'] },
    },
  },
  'that would switch things off': {
    files: settings({ permissions: { defaultMode: 'bypassPermissions' }, disableAllHooks: true }),
    script: lead(bash('touch by-mode')),
    brings: {
      'a wider mode': { line: [SETTINGS, 'permissions.defaultMode'], has: made('by-mode') },
      'the end of all hooks': { line: [SETTINGS, 'disableAllHooks'] },
    },
  },
  'in files of their own': {
    files: {
      '.mcp.json': mcpJson({ odd: oddServer() }),
      '.claude/teams/here.md':
        '---\nname: here\ndescription: x\npermissions: { allow: [Bash(touch by-template)] }\nenv: { A: b }\n---\nGo.\n',
      '.claude/skills/s/SKILL.md': '---\nname: s\ndescription: x\nallowed-tools: Bash(touch by-skill)\n---\nTouch.\n',
      '.claude/agents/hooked.md': definition('hooked', `hooks: ${JSON.stringify({ PreToolUse: hook('by-agent') })}`),
      '.claude/agents/served.md': definition('served', `mcpServers: ${JSON.stringify([{ own: oddServer() }])}`),
      'CLAUDE.md': 'Read on: @OUTSIDE/note\n',
    },
    script:
      lead(
        [bash('touch by-template'), agent('hooked'), agent('served')].join(),
        '{ tool: Skill, input: { skill: s } }',
        bash('touch by-skill'),
      ) + AGENTS,
    words: ['--template', 'here'],
    brings: {
      'servers of .mcp.json': { line: ['.mcp.json', 'its MCP servers'], has: sent('team-lead', 'mcp__odd__echo') },
      'what a template permits': {
        line: ['.claude/teams/here.md', 'permissions.allow, env'],
        has: made('by-template'),
      },
      'what a skill allows': { line: ['.claude/skills/s/SKILL.md', 'its allowed-tools'], has: made('by-skill') },
      'hooks of an agent': { line: ['.claude/agents/hooked.md', 'its hooks'], has: made('by-agent') },
      'servers of an agent': {
        line: ['.claude/agents/served.md', 'its inline MCP servers'],
        has: sent('team-lead/', 'mcp__own__echo'),
      },
      'instructions from outside': {
        line: ['note', 'lies outside of the project and is left out'],
        has: told('NOTE-TEXT'),
      },
    },
  },
};

async function projectWith({ files, script }: Pick<Case, 'files' | 'script'>): Promise<Project> {
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
  const scripted = await stage(filled(script));
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

describe.each(Object.entries(CASES))('what a project brings along %s', (_, { files, script, words = [], brings }) => {
  const run = async (at: Project, ...more: readonly string[]) => {
    const { exitCode, stderr } = await runJson(at, 'Go.', ...words, ...more);
    expect(exitCode, stderr).toBe(0);
    const effects = Object.entries(brings).map(([name, { has }]) => [name, has?.(at)]);
    return { lines: aboutTrust(stderr), has: Object.fromEntries(effects) };
  };
  let before: Awaited<ReturnType<typeof run>>;
  let after: Awaited<ReturnType<typeof run>>;
  beforeAll(async () => {
    await using at = await projectWith({ files, script });
    before = await run(at);
    after = await run(at, '--trust');
  });

  test.each(Object.entries(brings))(
    'counts only once the project is trusted: %s',
    (name, { line: [file, what], has }) => {
      const words = before.lines.filter((line) => line.includes(`/${file}`) && line.includes(what));
      expect(words, before.lines.join('\n')).toHaveLength(1);
      expect([before.has[name], after.has[name]]).toEqual(has ? [false, true] : [undefined, undefined]);
    },
  );

  test('is told in one line for each file, and not any more afterwards', () => {
    expect(before.lines).toHaveLength(new Set(Object.values(brings).map(({ line: [file] }) => file)).size);
    expect(after.lines).toEqual([]);
  });
});

test.concurrent('what narrows holds without trust: deny and ask rules of settings, deny rules of a template', async () => {
  await using at = await projectWith({
    files: {
      ...settings({ permissions: { deny: ['Bash(touch denied)'], ask: ['Bash(touch asked)'] } }),
      '.claude/teams/here.md':
        '---\nname: here\ndescription: x\npermissions: { deny: [Bash(touch barred)] }\n---\nGo.\n',
    },
    script: lead(['denied', 'asked', 'barred', 'free'].map((file) => bash(`touch ${file}`)).join()),
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
      '.claude/agents/helper.md': definition(
        'helper',
        `hooks: ${JSON.stringify({ PreToolUse: hook('by-agent') })}\nmcpServers: ${JSON.stringify([{ own: oddServer() }])}`,
      ),
      'plug/hooks/hooks.json': JSON.stringify({ hooks: { SessionStart: hook('by-plugin') } }),
      'plug/.mcp.json': mcpJson({ odd: oddServer() }),
    },
    script: lead(agent('helper')) + AGENTS,
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
