import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { isApproved } from '../../src/config/mcpSettings.js';
import { loadServers } from '../../src/config/mcpSources.js';
import { homeAt } from '../../src/config/paths.js';
import { loadSettings } from '../../src/config/settings.js';
import { pluginsOf } from '../../src/definitions/plugin.js';
import { initRepo } from '../helpers/gitRepo.js';
import { tempDir } from '../helpers/tempDir.js';

const server = (command: string) => ({ command });
const servers = (all: Readonly<Record<string, unknown>>) => ({ mcpServers: all });

async function places(files: Readonly<Record<string, unknown>>) {
  const dir = await tempDir();
  const cwd = join(dir.path, 'project');
  await initRepo(cwd);
  for (const [name, content] of Object.entries(files)) {
    const path = join(dir.path, name);
    await mkdir(dirname(path), { recursive: true });
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    await writeFile(path, text.replaceAll('PROJECT', cwd));
  }
  const userHome = join(dir.path, 'user');
  const home = homeAt(join(dir.path, 'home'));
  return {
    cwd,
    path: dir.path,
    async load({
      trusted = true,
      pluginsOnly = false,
      flag = undefined as Record<string, unknown> | undefined,
      managed = '',
    } = {}) {
      const settings = await loadSettings({
        cwd,
        userHome,
        home,
        trusted,
        ...(managed !== '' && { managed: join(dir.path, managed) }),
      });
      const plugins = await pluginsOf([], home.plugins);
      const loaded = await loadServers({ cwd, userHome, trusted, pluginsOnly, flag, settings, plugins });
      const shown = loaded.servers.map(({ name, source, config }) =>
        [name, source, config.type === 'stdio' ? config.command : config.url].join(' '),
      );
      return { ...loaded, shown, notices: [...loaded.notices, ...settings.notices] };
    },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

const EVERYWHERE = {
  'managed/managed-settings.json': servers({ a: server('of-manager') }),
  'user/.claude.json': {
    ...servers({ a: server('x'), e: server('x'), f: server('of-user') }),
    projects: { PROJECT: servers({ c: server('of-local'), a: server('x') }) },
  },
  'project/.claude/settings.local.json': servers({ d: server('of-local-settings'), c: server('x') }),
  'project/.mcp.json': servers({ e: server('of-project'), c: server('x'), b: server('x') }),
  'user/.claude/settings.json': servers({ g: server('of-user-settings') }),
  'home/plugins/tools/.mcp.json': { h: server('${CLAUDE_PLUGIN_ROOT}/run') },
};

test('of each name the strongest counts: managed, command line, local, project, user; a plugin’s have names of their own', async () => {
  await using all = await places(EVERYWHERE);
  const { shown, problems } = await all.load({ managed: 'managed', flag: { b: server('of-flag') } });
  expect(shown).toEqual([
    'a managed of-manager',
    'b flag of-flag',
    'c local of-local',
    'd local of-local-settings',
    'e project of-project',
    'f user of-user',
    'g user of-user-settings',
    'plugin_tools_h plugin ${CLAUDE_PLUGIN_ROOT}/run',
  ]);
  expect(problems).toEqual([]);
});

test('what a project brings along does not count without trust, and it is said; a user’s own does', async () => {
  await using all = await places({ ...EVERYWHERE, 'project/.claude/settings.json': servers({ p: server('x') }) });
  const { shown, notices } = await all.load({ trusted: false });
  expect(shown.filter((line) => /project|local-settings/.test(line))).toEqual([]);
  expect(shown).toContain('f user of-user');
  expect(notices.join('\n')).toContain(
    `${all.cwd}/.mcp.json: its MCP servers do not count until the folder is trusted`,
  );
  expect(notices.join('\n')).toContain('settings.json: mcpServers do not count until the folder is trusted');
});

test('where only plugins may bring servers along, the others do not count, but those of a manager and the command line', async () => {
  await using all = await places(EVERYWHERE);
  const { shown } = await all.load({ managed: 'managed', pluginsOnly: true, flag: { b: server('of-flag') } });
  expect(shown.map((line) => line.split(' ')[0])).toEqual(['a', 'b', 'plugin_tools_h']);
});

test('a file that is broken is named and leaves the others', async () => {
  await using all = await places({ ...EVERYWHERE, 'project/.mcp.json': '{"mcpServers": ', 'user/.claude.json': '[]' });
  const { shown, problems } = await all.load();
  expect(shown.map((line) => line.split(' ')[0])).toEqual(['d', 'c', 'g', 'plugin_tools_h']);
  expect(problems).toEqual([
    expect.stringContaining('.claude.json must hold one JSON object; its MCP servers are left out.'),
    expect.stringMatching(/\.mcp\.json: .*JSON.*; its MCP servers are left out\.$/),
  ]);
});

test('a disabled server is as if it were not written', async () => {
  await using all = await places({
    'project/.mcp.json': servers({ a: { ...server('x'), disabled: true }, b: server('y') }),
  });
  expect((await all.load()).shown).toEqual(['b project y']);
});

test.each([
  [{}, ['a', 'b']],
  [{ disabledMcpjsonServers: ['a'] }, ['b']],
  [{ enabledMcpjsonServers: ['a'] }, ['a']],
  [{ enableAllProjectMcpServers: false }, []],
  [{ enableAllProjectMcpServers: false, enabledMcpjsonServers: ['b'] }, ['b']],
  [{ enableAllProjectMcpServers: true, enabledMcpjsonServers: ['b'] }, ['a', 'b']],
  [{ enableAllProjectMcpServers: true, disabledMcpjsonServers: ['b'] }, ['a']],
])('of a trusted folder’s servers %j approves %j', (settings, approved) => {
  expect(['a', 'b'].filter((name) => isApproved(name, settings))).toEqual(approved);
});
