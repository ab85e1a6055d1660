import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { teamHooks } from '../../src/app/hooks/teamHooks.js';
import { homeAt } from '../../src/config/paths.js';
import { loadSettings } from '../../src/config/settings.js';
import { HookGroups } from '../../src/definitions/hook.js';
import type { TeamSettings } from '../../src/team/start/launch.js';
import { SETTINGS } from '../helpers/team.js';
import { tempDir } from '../helpers/tempDir.js';

const PLACES = {
  managed: 'managed/managed-settings.json',
  local: 'repo/.claude/settings.local.json',
  project: 'repo/.claude/settings.json',
  user: 'user/.claude/settings.json',
  troupe: 'troupe/settings.json',
  installed: 'troupe/plugins/watcher/hooks/hooks.json',
} as const;

const hooks = (command: string) => ({ Stop: [{ hooks: [{ type: 'command', command }] }] });

/** Which commands count at a Stop, given what stands where, and what is said about the others. */
async function counted(
  files: Partial<Record<keyof typeof PLACES, unknown>>,
  { trusted = true, ...settings }: Partial<TeamSettings> = {},
) {
  await using dir = await tempDir();
  const at = (path: string) => join(dir.path, path);
  await mkdir(at('repo/.git'), { recursive: true });
  for (const [place, content] of Object.entries(files)) {
    const path = at(PLACES[place as keyof typeof PLACES]);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  }
  const home = homeAt(at('troupe'));
  const loaded = await loadSettings({ cwd: at('repo'), userHome: at('user'), home, trusted, managed: at('managed') });
  const result = await teamHooks({ home }, loaded, { cwd: at('repo'), settings: { ...SETTINGS, ...settings } });
  const commands = (result.hooks?.sources ?? []).flatMap(({ events }) =>
    HookGroups.parse(events['Stop']).flatMap((group) => group.hooks.map((hook) => hook['command'])),
  );
  return {
    commands,
    withoutAgents: result.hooks?.withoutAgents ?? false,
    notices: [...loaded.notices, ...result.notices].map((notice) => notice.replaceAll(`${dir.path}/`, '')),
  };
}

const ALL = {
  managed: { hooks: hooks('managed') },
  local: { hooks: hooks('local') },
  project: { hooks: hooks('project') },
  user: { hooks: hooks('user') },
  troupe: { hooks: hooks('troupe') },
  installed: { hooks: hooks('plugin') },
};

test('hooks of every level and of plugins count together', async () => {
  expect((await counted(ALL)).commands).toEqual(['managed', 'local', 'project', 'user', 'troupe', 'plugin']);
});

test('where there is no hook there is nothing to hand on', async () => {
  expect(await counted({ user: { model: 'x' } })).toEqual({ commands: [], withoutAgents: false, notices: [] });
});

test('of a project that is not trusted they are left out, with a line for each file', async () => {
  const { commands, notices } = await counted(ALL, { trusted: false });
  expect(commands).toEqual(['managed', 'user', 'troupe', 'plugin']);
  expect(notices).toEqual([
    'repo/.claude/settings.local.json: hooks do not count until the folder is trusted (troupe trust).',
    'repo/.claude/settings.json: hooks do not count until the folder is trusted (troupe trust).',
  ]);
});

test('disableAllHooks leaves those of an administrator, who alone can switch off those too', async () => {
  expect(await counted({ ...ALL, user: { disableAllHooks: true } })).toMatchObject({
    commands: ['managed'],
    withoutAgents: true,
  });
  expect(await counted({ ...ALL, managed: { ...ALL.managed, disableAllHooks: true } })).toMatchObject({
    commands: [],
    withoutAgents: true,
  });
});

test('a project that is not trusted cannot switch off the hooks of its user', async () => {
  const { commands } = await counted({ ...ALL, project: { disableAllHooks: true } }, { trusted: false });
  expect(commands).toContain('user');
});

test('with strictPluginOnlyCustomization those of an administrator and of plugins count', async () => {
  const { commands, notices } = await counted(ALL, { strictPluginOnlyCustomization: true });
  expect(commands).toEqual(['managed', 'plugin']);
  expect(notices).toHaveLength(4);
});

test.each([
  ['{', 'its hooks are left out: '],
  [{ hooks: { Stop: [{}] } }, '"hooks.Stop.0.hooks" must be a list of hooks; its hooks are left out.'],
])('a plugin whose hooks are broken stops no team: %j', async (installed, words) => {
  const { commands, notices } = await counted({ ...ALL, installed });
  expect(commands).not.toContain('plugin');
  expect(notices).toEqual([expect.stringContaining(`troupe/plugins/watcher/hooks/hooks.json: ${words}`)]);
});

test('under allowManagedHooksOnly of an administrator only theirs count, and each other file is named', async () => {
  const { commands, withoutAgents, notices } = await counted({
    ...ALL,
    managed: { allowManagedHooksOnly: true, hooks: hooks('managed') },
  });
  expect({ commands, withoutAgents }).toEqual({ commands: ['managed'], withoutAgents: true });
  expect(notices).toHaveLength(4);
  expect(notices).toContain(
    "user/.claude/settings.json: its hooks do not count: only an administrator's do (allowManagedHooksOnly).",
  );
  const others = await counted({ ...ALL, user: { allowManagedHooksOnly: true, hooks: hooks('user') } });
  expect(others.commands).toHaveLength(6);
});
