import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { judgeContext } from '../../src/app/permissions/judgeContext.js';
import { createLiveSettings, liveFrom } from '../../src/app/permissions/liveSettings.js';
import { rulesIn } from '../../src/app/permissions/settingsRules.js';
import { homeAt } from '../../src/config/paths.js';
import { loadSettings } from '../../src/config/settings.js';
import type { PermissionMode } from '../../src/permissions/mode.js';
import { launchOf, SETTINGS } from '../helpers/team.js';
import { tempDir } from '../helpers/tempDir.js';

/** A team that was started in a trusted project, with rules of the command line and of a template. */
async function started({ settings = {}, flag }: { readonly settings?: object; readonly flag?: string } = {}) {
  const dir = await tempDir();
  const cwd = join(dir.path, 'project');
  const home = homeAt(join(dir.path, 'troupe'));
  const file = join(cwd, '.claude/settings.json');
  const write = async (content: unknown, path = file) => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  };
  await mkdir(join(cwd, '.git'), { recursive: true });
  await write(settings);
  const loaded = await loadSettings({ cwd, userHome: join(dir.path, 'user'), home, flag, trusted: true });
  const first = { allow: ['Bash(cli *)'], deny: ['WebFetch'] };
  const last = { allow: ['Bash(template *)'], deny: [] };
  const live = await liveFrom(loaded, { cwd, first, last });
  const problems: string[] = [];
  const team = createLiveSettings({
    world: { home },
    settings: { ...SETTINGS, model: 'begun-with', effort: 'high', ...rulesIn(loaded, { first, last }, cwd), live },
    onProblem: (problem) => problems.push(problem),
  });
  return { dir, cwd, home, file, write, team, live, problems, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

test('an edit counts from the next look on: rules, folders, hooks and autoMode, but neither model nor effort', async () => {
  await using t = await started({ settings: { permissions: { allow: ['Bash(old *)'] } } });
  await t.team.look();
  expect(t.team.current()).toMatchObject({ allow: ['Bash(cli *)', 'Bash(old *)', 'Bash(template *)'] });
  await t.write({
    model: 'opus',
    effortLevel: 'low',
    permissions: { allow: ['Bash(new *)'], ask: ['Read'], deny: ['Edit'], additionalDirectories: ['../other'] },
    autoMode: { rules: ['No.'] },
    statusLine: { type: 'command', command: 'date' },
    hooks: { Stop: [{ hooks: [{ type: 'command', command: 'true' }] }] },
  });
  expect(t.team.current().allow).toContain('Bash(old *)');
  await t.team.look();
  expect(t.team.current()).toMatchObject({
    model: 'begun-with',
    effort: 'high',
    allow: ['Bash(cli *)', 'Bash(new *)', 'Bash(template *)'],
    ask: ['Read'],
    deny: ['WebFetch', 'Edit'],
    folders: [join(t.dir.path, 'other')],
    autoMode: { rules: ['No.'] },
    statusLine: { command: 'date' },
    hooks: { projectDir: t.cwd, sources: [{ file: t.file }] },
  });
});

test('a file that comes or goes counts as an edit', async () => {
  await using t = await started();
  await t.write({ permissions: { deny: ['Bash'] } }, t.home.settings);
  await t.team.look();
  expect(t.team.current().deny).toEqual(['WebFetch', 'Bash']);
  await rm(t.home.settings);
  await t.team.look();
  expect(t.team.current().deny).toEqual(['WebFetch']);
});

test('a broken edit leaves what held before and says so once, in one line; when it is mended that counts', async () => {
  await using t = await started({ settings: { permissions: { deny: ['Bash'] } } });
  await t.write('{"permissions": {');
  await t.team.look();
  await t.team.look();
  expect(t.team.current().deny).toEqual(['WebFetch', 'Bash']);
  expect(t.problems).toEqual([expect.stringMatching(/^.*settings\.json is not JSON: .*go on holding\.$/)]);
  await t.write({ permissions: { deny: ['Edit'] } });
  await t.team.look();
  expect([t.team.current().deny, t.problems.length]).toEqual([['WebFetch', 'Edit'], 1]);
});

test('settings of the command line hold after an edit too, and what is secret of them is not kept', async () => {
  const flag = JSON.stringify({ permissions: { deny: ['Bash(rm *)'] }, env: { TOKEN: 'hunter2' } });
  await using t = await started({ flag });
  await t.write({ permissions: { deny: ['Edit'] } });
  await t.team.look();
  expect(t.team.current().deny).toEqual(['WebFetch', 'Bash(rm *)', 'Edit']);
  expect(JSON.stringify(t.live)).not.toContain('hunter2');
});

test('what was allowed in an untrusted folder after the start does not count there', async () => {
  await using t = await started();
  const problems: string[] = [];
  const untrusted = createLiveSettings({
    world: { home: t.home },
    settings: { ...SETTINGS, trusted: false, live: t.live },
    onProblem: (problem) => problems.push(problem),
  });
  await t.write({ permissions: { allow: ['Bash'], deny: ['Read'] } });
  await untrusted.look();
  expect(untrusted.current()).toMatchObject({ allow: ['Bash(cli *)', 'Bash(template *)'], deny: ['WebFetch', 'Read'] });
});

test('a mode that is switched off while a team runs holds for nobody from the next call on', async () => {
  await using t = await started();
  const modeOf = (mode: PermissionMode) =>
    judgeContext(
      { ...launchOf({ role: 'lead' }), settings: t.team.current() },
      { cwd: t.cwd, mode },
      { name: 'red', createdAt: 0, leadAgentId: 'team-lead@red', members: [] },
      undefined,
      t.home.root,
    ).mode;
  await t.team.look();
  expect(modeOf('bypassPermissions')).toBe('bypassPermissions');
  await t.write({ permissions: { disableBypassPermissionsMode: 'disable' } });
  await t.team.look();
  expect(modeOf('bypassPermissions')).toBe('auto');
  await t.write({ permissions: { disableBypassPermissionsMode: 'disable', disableAutoMode: 'disable' } });
  await t.team.look();
  expect([modeOf('bypassPermissions'), modeOf('auto'), modeOf('default')]).toEqual([
    'acceptEdits',
    'acceptEdits',
    'default',
  ]);
});

test('what somebody allowed the team for always counts for nothing where only an administrator’s rules allow', () => {
  const rulesOf = (more: object) =>
    judgeContext(
      { ...launchOf({ role: 'lead' }), settings: { ...SETTINGS, allow: ['Glob'], ...more } },
      { cwd: '/p', mode: 'default' },
      {
        ...{ name: 'red', createdAt: 0, leadAgentId: 'team-lead@red', members: [] },
        teamRules: (['allow', 'deny'] as const).map((behavior) => ({
          behavior,
          rule: 'Bash',
          addedBy: 'user',
          addedAt: 0,
        })),
      },
      undefined,
      '/home',
    ).rules;
  expect(rulesOf({})).toMatchObject({ allow: [{ tool: 'Glob' }, { tool: 'Bash' }], deny: [{ tool: 'Bash' }] });
  expect(rulesOf({ onlyManagedRules: true })).toMatchObject({ allow: [{ tool: 'Glob' }], deny: [{ tool: 'Bash' }] });
});
