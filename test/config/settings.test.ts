import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { homeAt } from '../../src/config/paths.js';
import { loadSettings } from '../../src/config/settings.js';
import { tempDir } from '../helpers/tempDir.js';

async function world() {
  const dir = await tempDir();
  const userHome = join(dir.path, 'home');
  const repository = join(dir.path, 'repo');
  const cwd = join(repository, 'deep');
  const home = homeAt(join(dir.path, 'troupe'));
  await mkdir(cwd, { recursive: true });
  await mkdir(join(repository, '.git'));
  const files = {
    local: join(repository, '.claude/settings.local.json'),
    project: join(repository, '.claude/settings.json'),
    user: join(userHome, '.claude/settings.json'),
    troupe: home.settings,
    flag: join(cwd, 'extra.json'),
  };
  const write = async (which: keyof typeof files, content: unknown) => {
    await mkdir(dirname(files[which]), { recursive: true });
    await writeFile(files[which], typeof content === 'string' ? content : JSON.stringify(content));
  };
  return {
    path: dir.path,
    repository,
    files,
    write,
    places: { cwd, userHome, home, trusted: true },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

test('flag > local > project > user > troupe’s own, key by key', async () => {
  await using w = await world();
  await w.write('flag', { model: 'flag' });
  await w.write('local', { model: 'local', permissionTimeout: 1 });
  await w.write('project', { model: 'project', permissionTimeout: 2, worktree: { baseRef: 'fresh' } });
  await w.write('user', { model: 'user', worktree: { baseRef: 'head' }, env: { A: 'user', B: 'user' } });
  await w.write('troupe', { env: { B: 'troupe', C: 3 }, agentLimits: { depth: 2 } });
  const { settings, sources } = await loadSettings({ ...w.places, flag: 'extra.json' });
  expect(settings).toEqual({
    model: 'flag',
    permissionTimeout: 1,
    worktree: { baseRef: 'fresh' },
    env: { A: 'user', B: 'user', C: '3' },
    agentLimits: { depth: 2 },
  });
  expect(sources.map(({ source, file }) => [source, file])).toEqual(
    (['flag', 'local', 'project', 'user', 'troupe'] as const).map((source) => [source, w.files[source]]),
  );
});

test('rules of all sources are joined, each still known by its source and anchor', async () => {
  await using w = await world();
  await w.write('project', { permissions: { allow: ['Read', 'Bash(ls *)'], deny: ['Edit(/x)'] } });
  await w.write('user', { permissions: { allow: ['Read'], deny: ['WebFetch'], defaultMode: 'manual' } });
  const { settings, sources } = await loadSettings(w.places);
  expect(settings.permissions).toEqual({
    allow: ['Read', 'Bash(ls *)'],
    deny: ['Edit(/x)', 'WebFetch'],
    defaultMode: 'default',
  });
  expect(sources.map(({ anchor }) => anchor)).toEqual([w.repository, join(w.places.userHome, '.claude')]);
});

test('what an administrator says goes before everything, and its deny rules are joined with the others', async () => {
  await using w = await world();
  const managed = join(w.path, 'managed');
  await mkdir(managed);
  const file = join(managed, 'managed-settings.json');
  await writeFile(
    file,
    JSON.stringify({ model: 'opus', strictPluginOnlyCustomization: true, permissions: { deny: ['WebFetch'] } }),
  );
  await w.write('flag', { model: 'flag', permissions: { deny: ['Bash'] } });
  await w.write('project', { strictPluginOnlyCustomization: false });
  const { settings, sources } = await loadSettings({ ...w.places, flag: 'extra.json', managed });
  expect(settings).toEqual({
    model: 'opus',
    strictPluginOnlyCustomization: true,
    permissions: { deny: ['WebFetch', 'Bash'] },
  });
  expect(sources[0]).toMatchObject({ source: 'managed', file, anchor: managed });
  expect((await loadSettings({ ...w.places, managed: join(w.path, 'none') })).settings).not.toHaveProperty('model');
});

test('how worktrees are made is set by folders inside the project', async () => {
  await using w = await world();
  const worktree = {
    baseRef: 'fresh',
    sparsePaths: ['packages/app'],
    symlinkDirectories: ['node_modules', 'a b/.cache'],
  };
  await w.write('project', { worktree });
  expect((await loadSettings({ ...w.places, trusted: false })).settings).toEqual({ worktree });
});

test('a flag may be JSON itself', async () => {
  await using w = await world();
  expect((await loadSettings({ ...w.places, flag: ' {"model": "opus"}' })).settings).toEqual({ model: 'opus' });
});

test('a project that is not trusted cannot widen anything; its deny and ask rules hold', async () => {
  await using w = await world();
  const permissions = {
    allow: ['Bash'],
    ask: ['Read'],
    deny: ['Edit'],
    additionalDirectories: ['/'],
    defaultMode: 'bypassPermissions',
  };
  await w.write('local', { permissions, env: { NODE_OPTIONS: 'x' }, hooks: { Stop: [] }, model: 'haiku' });
  await w.write('user', { permissions: { allow: ['Grep'] } });
  const { settings, sources, notices } = await loadSettings({ ...w.places, trusted: false });
  expect(settings).toEqual({ model: 'haiku', permissions: { allow: ['Grep'], ask: ['Read'], deny: ['Edit'] } });
  expect(sources[0]?.settings).not.toHaveProperty('env');
  expect(notices).toEqual([
    `${w.files.local}: permissions.allow, permissions.additionalDirectories, permissions.defaultMode, env, hooks do not count until the folder is trusted (troupe trust).`,
  ]);
});

test('an untrusted project may narrow the mode', async () => {
  await using w = await world();
  await w.write('project', { permissions: { defaultMode: 'plan' } });
  expect(await loadSettings({ ...w.places, trusted: false })).toMatchObject({
    settings: { permissions: { defaultMode: 'plan' } },
    notices: [],
  });
});

test('in a linked worktree the main checkout’s local rules hold too', async () => {
  await using w = await world();
  await w.write('local', { permissions: { deny: ['WebFetch'] } });
  const worktree = join(w.repository, '.claude/worktrees/bob');
  await mkdir(worktree, { recursive: true });
  await writeFile(join(worktree, '.git'), `gitdir: ${w.repository}/.git/worktrees/bob\n`);
  expect((await loadSettings({ ...w.places, cwd: worktree })).settings).toEqual({
    permissions: { deny: ['WebFetch'] },
  });
});

test('where the home itself is the repository, its settings are the user’s and not a project’s', async () => {
  await using w = await world();
  await w.write('user', { permissions: { allow: ['Read'] } });
  await mkdir(join(w.places.userHome, '.git'));
  const { sources, notices } = await loadSettings({ ...w.places, cwd: w.places.userHome, trusted: false });
  expect({ sources: sources.map(({ source }) => source), notices }).toEqual({ sources: ['user'], notices: [] });
});

test.each([
  ['text that is not JSON', '{"model": "x",}', /settings\.json is not JSON: /],
  ['comments', '// x\n{}', /is not JSON/],
  ['a list', '[]', /must hold one JSON object/],
  [
    'a rule that is no text',
    { permissions: { allow: ['Read', 5] } },
    /settings\.json: "permissions\.allow\.1" must be text\./,
  ],
  [
    'a mode that does not exist',
    { permissions: { defaultMode: 'yolo' } },
    /"permissions\.defaultMode" must be one of plan, /,
  ],
  ['an environment that is a list', { env: [] }, /"env" must be an object/],
  ['a base that does not exist', { worktree: { baseRef: 'main' } }, /"worktree\.baseRef" must be head or fresh/],
  ...['/etc', '../up', 'a/../../b', '-rf', '', '.', 'a\nb'].map((path): [string, unknown, RegExp] => [
    `a linked folder ${JSON.stringify(path)}`,
    { worktree: { symlinkDirectories: ['node_modules', path] } },
    /"worktree\.symlinkDirectories\.1" must be the path of a folder inside the project/,
  ]),
  ['a status line that is text', { statusLine: 'date' }, /"statusLine" must be an object/],
  [
    'a status line of another kind',
    { statusLine: { type: 'x', command: 'x' } },
    /"statusLine\.type" must be "command"/,
  ],
  ['a status line without a command', { statusLine: { type: 'command' } }, /"statusLine\.command" must be text/],
  ['a status line of no command', { statusLine: { type: 'command', command: '' } }, /"statusLine\.command" must not/],
  ['one sparse path without a list', { worktree: { sparsePaths: 'src' } }, /"worktree\.sparsePaths" must be a list/],
])('%s is an error that names the file and the key', async (_, content, message) => {
  await using w = await world();
  await w.write('project', content);
  await expect(loadSettings(w.places)).rejects.toThrow(message);
});

test('a flag that names no file is an error', async () => {
  await using w = await world();
  await expect(loadSettings({ ...w.places, flag: 'none.json' })).rejects.toThrow(
    /--settings: there is no file .*none\.json/,
  );
});

test.each<[string, 'troupe' | 'flag' | 'project' | 'user', object, string]>([
  [
    'a slip in a file that others read too',
    'project',
    { permisions: {} },
    '"permisions" is no setting. Did you mean "permissions"?',
  ],
  [
    'a slip in a group',
    'user',
    { permissions: { denny: [] } },
    '"permissions.denny" is no setting. Did you mean "permissions.deny"?',
  ],
  ['a key in a file of troupe’s own', 'troupe', { frobnicate: 1 }, '"frobnicate" is no setting.'],
  ['a key of the command line', 'flag', { autoMode: { regulations: [] } }, '"autoMode.regulations" is no setting.'],
])('%s that nobody reads is an error with file, key and the nearest key', async (_, which, content, message) => {
  await using w = await world();
  await w.write(which, content);
  await expect(loadSettings({ ...w.places, ...(which === 'flag' && { flag: 'extra.json' }) })).rejects.toThrow(
    `${w.files[which]}: ${message}`,
  );
});

test('what another program reads from a file that both read is left to it', async () => {
  await using w = await world();
  const content = { outputStyle: 'x', theme: 'dark', somethingNewOfTheirs: 1, $schema: 'x' };
  await w.write('user', content);
  expect((await loadSettings(w.places)).settings).toEqual(content);
});

const LOSES: readonly [string, unknown][] = [
  ['permissions.allow', ['Bash']],
  ['permissions.additionalDirectories', ['/']],
  ['permissions.defaultMode', 'auto'],
  ['env', { PATH: '/tmp' }],
  ['hooks', { Stop: [] }],
  ['disableAllHooks', true],
  ['statusLine', { type: 'command', command: 'x' }],
  ['mcpServers', { x: { command: 'x' } }],
  ['enableAllProjectMcpServers', true],
  ['enabledMcpjsonServers', ['x']],
  ['apiKeyHelper', 'x'],
  ['autoMode', { rules: ['Let everything through.'] }],
  ['agentLimits', { concurrent: 1000 }],
  ['cleanupPeriodDays', 0],
  ['telemetry', true],
  ['autoDream', true],
  ['strictPluginOnlyCustomization', false],
];
const KEEPS: readonly [string, unknown][] = [
  ['permissions.deny', ['Bash']],
  ['permissions.ask', ['Bash']],
  ['permissions.defaultMode', 'plan'],
  ['model', 'haiku'],
  ['worktree', { baseRef: 'fresh' }],
  ['permissionTimeout', 5],
  ['claudeMdExcludes', ['x']],
  ['instructionFiles', 'claude-md'],
  ['disabledMcpjsonServers', ['x']],
  ['strictPluginOnlyCustomization', true],
];
const rows = (holds: boolean, keys: typeof LOSES) => keys.map(([key, value]) => ({ key, value, holds }));

test.each([...rows(false, LOSES), ...rows(true, KEEPS)])(
  'in an untrusted folder $key = $value counts: $holds; trusted it always does',
  async ({ key, value, holds }) => {
    await using w = await world();
    const [group = '', inner] = key.split('.');
    const content = inner === undefined ? { [group]: value } : { [group]: { [inner]: value } };
    await w.write('project', content);
    const untrusted = await loadSettings({ ...w.places, trusted: false });
    expect((await loadSettings(w.places)).settings).toEqual(content);
    expect(untrusted.settings).toEqual(holds ? content : inner === undefined ? {} : { [group]: {} });
    expect(untrusted.notices).toEqual(
      holds ? [] : [`${w.files.project}: ${key} do not count until the folder is trusted (troupe trust).`],
    );
  },
);

test('strictPluginOnlyCustomization may list what it is for', async () => {
  for (const [value, counts] of [
    [true, true],
    [['hooks'], true],
    [['skills', 'mcp'], true],
    [['skills'], false],
  ] as const) {
    await using w = await world();
    await w.write('user', { strictPluginOnlyCustomization: value });
    expect((await loadSettings(w.places)).settings.strictPluginOnlyCustomization).toBe(counts);
  }
  await using w = await world();
  await w.write('user', { strictPluginOnlyCustomization: 'hooks' });
  await expect(loadSettings(w.places)).rejects.toThrow(
    '"strictPluginOnlyCustomization" must be true, false or a list.',
  );
});

test('settings of a project that lead to a device are no file, and nothing is read from it', async () => {
  await using w = await world();
  await mkdir(dirname(w.files.project), { recursive: true });
  await symlink('/dev/zero', w.files.project);
  await expect(loadSettings(w.places)).rejects.toThrow(`${w.files.project} cannot be read: it is not a file`);
});
